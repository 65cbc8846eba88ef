// For eslint.config.js: `import guarded from './tests/write-guard.eslint.mjs'; export default [...guarded];`
// Specs that take test from '@playwright/test' run without the write guard.
export default [
  {
    files: ['**/*.spec.ts', '**/*.spec.js', '**/*.spec.mjs', '**/*.setup.ts', '**/*.setup.js'],
    rules: {
      'no-restricted-imports': ['error', {
        paths: [{
          name: '@playwright/test',
          importNames: ['test', 'default', 'request', 'chromium', 'firefox', 'webkit'],
          message: "Take test and expect from './write-guard.fixture'.",
        }],
      }],
    },
  },
];
