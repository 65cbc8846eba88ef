// Under {"policy": "read-only"}: nothing is written, whichever way a page tries.
import { test, expect } from './write-guard.fixture';
import { shop } from './shop';

let server: Awaited<ReturnType<typeof shop>>;
// A socket may open; no frame may pass.
const written = () => server.seen.filter((one) => /^POST |^GET \/api\/|^FRAME/.test(one));

test.beforeAll(async ({ browser }) => {
  server = await shop();
  await expect((async () => browser.newContext())()).rejects.toThrow('outside of the write guard');
});
test.afterAll(() => server.stop());
test.afterEach(() => expect(written()).toEqual([]));

test('READ-1 what does not write goes through', async ({ page }) => {
  await page.goto(server.url);
  await page.click('#open');
  await expect(page.locator('#said')).toHaveText('open;');
});

test('READ-2 controls that write are stopped', async ({ page }) => {
  await page.goto(server.url);
  await page.click('#theirs');
  await page.click('#icon');
  await page.locator('#inside').click();
  await page.locator('#order').focus();
  await page.keyboard.press('Enter');
  await page.locator('#drag').dragTo(page.locator('#open'));
  await expect(page.locator('#said')).toHaveText('');
});

test('READ-3 requests that write are stopped', async ({ page }) => {
  await page.goto(server.url);
  await page.click('#go');
  await expect(page.locator('#said')).toHaveText('stopped;');
  await page.click('#beacon');
  await page.evaluate(() => { document.querySelector('form')!.submit(); });
  await page.waitForTimeout(500);
});

test('READ-4 sockets, workers and popups are no way around', async ({ page, context }) => {
  await page.goto(server.url);
  await page.evaluate(() => new Promise<void>((done, failed) => {
    const socket = new WebSocket(`${location.href.replace('http', 'ws')}api/live`);
    socket.onopen = () => { socket.send('delete it'); done(); };
    socket.onerror = () => failed(new Error('no socket'));
  }));
  await page.evaluate(() => { new Worker('/worker.js'); });
  const popup = context.waitForEvent('page');
  await page.click('#popup');
  await popup;
  await page.waitForTimeout(700);
});

test('READ-5 ways past the page are shut', async ({ page, request, context, playwright }) => {
  const ways = [
    () => request.post(server.url), () => context.request.get(server.url), () => page.request.get(server.url),
    () => playwright.request.newContext(), () => playwright.chromium.launch(), () => fetch(server.url),
    () => context.browser()!.newPage(), () => context.newCDPSession(page), () => context.browser()!.newBrowserCDPSession(),
  ];
  for (const way of ways) await expect((async () => way())()).rejects.toThrow('outside of the write guard');
});

test('READ-6 a route of the spec stands behind the guard', async ({ page }) => {
  await page.route('**/api/orders', (route) => route.fulfill({ status: 201, body: 'mock' }));
  await page.goto(server.url);
  await page.click('#go');
  await expect(page.locator('#said')).toHaveText('stopped;');
});

test('READ-7 another context is guarded too', async ({ newGuardedContext }) => {
  const page = await (await newGuardedContext()).newPage();
  await page.goto(server.url);
  await page.click('#go');
  await expect(page.locator('#said')).toHaveText('stopped;');
});
