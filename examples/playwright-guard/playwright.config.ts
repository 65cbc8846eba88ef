import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: './tests',
  outputDir: './test-results',
  workers: 1,
  reporter: [['json', { outputFile: 'results.json' }], ['line']],
  use: {
    // CHROMIUM names a browser that is there already; without it Playwright takes its own.
    launchOptions: process.env.CHROMIUM
      ? { executablePath: process.env.CHROMIUM, args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'] }
      : {},
  },
});
