// Under {"policy": "scoped-write", "prefix": "QA_T_"}: what is the test's own may be written, and is observed.
import { test, expect } from './write-guard.fixture';
import { shop } from './shop';

let server: Awaited<ReturnType<typeof shop>>;
test.beforeAll(async () => { server = await shop(); });
test.afterAll(() => server.stop());

test('SCOPE-1 a row of its own may be deleted, another may not', async ({ page }) => {
  await page.goto(server.url);
  await page.click('#theirs');
  await page.click('#own');
  await expect(page.locator('#said')).toHaveText('own;');
});

test('SCOPE-2 a scope opens documents that come after it', async ({ page, guard }) => {
  await page.goto(server.url);
  await page.click('#theirs');
  await expect(page.locator('#said')).toHaveText('');
  await guard.setScope({ url: '127\\.0\\.0\\.1' });
  await page.goto(server.url);
  await page.click('#theirs');
  await expect(page.locator('#said')).toHaveText('pointer;theirs;');
});

test('SCOPE-3 the page cannot widen its scope', async ({ page }) => {
  await page.goto(server.url);
  await page.evaluate(() => {
    for (const name of Object.getOwnPropertyNames(window).filter((one) => one.startsWith('__scope_'))) {
      (window as unknown as Record<string, (key: string, url: string) => void>)[name]('', '.');
      (window as unknown as Record<string, (key: string, url: string) => void>)[name]('undefined', '.');
    }
  });
  await page.click('#theirs');
  await expect(page.locator('#said')).toHaveText('');
});

test('SCOPE-4 a write request goes through and is written down', async ({ page }) => {
  await page.goto(server.url);
  await page.click('#go');
  await expect(page.locator('#said')).toHaveText('post200;');
});
