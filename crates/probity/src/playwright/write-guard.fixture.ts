// The write guard as a Playwright fixture: `import { test, expect } from './write-guard.fixture'` in place of
// '@playwright/test'. It stops what the policy of the run does not allow, and writes one writes.json an attempt.
//
// Written by `probity playwright init`; the decisions are in write-guard.mjs, and `probity guard decide` makes the same ones.
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request as apiRequest, test as base, type APIRequestContext, type Browser, type BrowserContext, type BrowserContextOptions, type Page, type Route } from '@playwright/test';
// @ts-ignore: plain JavaScript
import { compile, configOf, decideRequest, mutationOf, pageSource, scopeSource } from './write-guard.mjs';

export { expect } from '@playwright/test';

// Both throw here, before any test of this worker, where they are not what they should be.
const mutation: { policy: string; prefix: string | null } = mutationOf(process.env.QA_PILOT_MUTATION);
const rules = compile(configOf(process.env.QA_PILOT_MUTATION_CONFIG));
const free = mutation.policy === 'unrestricted';

type Happening = { kind: 'control' | 'request'; action: 'block' | 'observe'; reason: string; label?: string; method?: string; url?: string; at: string };

/** What the guard of one attempt saw. */
class Attempt {
  installed = false;
  scopes: string[] = [];
  routed = 0;
  events: Happening[] = [];
  /** What the guard knows that it cannot see; each once. */
  unseen = new Set<string>();
  readonly key = randomBytes(16).toString('hex');
  readonly binding = `__guard_${randomBytes(8).toString('hex')}`;
  readonly setter = `__scope_${randomBytes(8).toString('hex')}`;
  private seen = new WeakSet<object>();

  state() {
    return { policy: mutation.policy, prefix: mutation.prefix ?? undefined, scopeUrl: this.scopes.at(-1) };
  }

  note(event: Omit<Happening, 'at'>) {
    this.events.push({ ...event, at: new Date().toISOString() });
  }

  /** Decides on something that leaves, and writes it down unless it is none of the guard's business. */
  leaves(method: string, url: string, body: string | null, channel = method): boolean {
    const decision = decideRequest(rules, { method, url, body }, this.state());
    if (decision.action !== 'allow') this.note({ kind: 'request', action: decision.action, reason: decision.reason, method: channel, url });
    return decision.action !== 'block';
  }

  /** Each request once, however many handlers stand in its way. Gives whether it may go on. */
  async route(route: Route, onward: () => Promise<unknown> | unknown) {
    const request = route.request();
    if (!this.seen.has(request)) {
      this.seen.add(request);
      this.routed += 1;
      const beacon = request.resourceType() === 'ping' ? 'BEACON' : undefined;
      if (!this.leaves(request.method(), request.url(), request.postData(), beacon)) {
        await route.abort('blockedbyclient');
        return;
      }
    }
    await onward();
  }

  record() {
    const count = (action: string) => this.events.filter((event) => event.action === action).length;
    return {
      installed: this.installed,
      policy: mutation.policy,
      prefix: mutation.prefix,
      scope_urls: this.scopes,
      write_signatures: rules.writes.length,
      routed_requests: this.routed,
      blocked: count('block'),
      observed: count('observe'),
      events: this.events,
      ...(this.unseen.size > 0 ? { unseen: [...this.unseen] } : {}),
    };
  }
}

const refuse = (what: string) => () => {
  throw new Error(`${what} is outside of the write guard; act through page, or use newGuardedContext() (policy ${mutation.policy})`);
};

/** Puts refusing functions in the place of some; gives what puts the old ones back. */
function shut(of: object, names: string[], what: string) {
  const old = names.map((name) => [name, Object.getOwnPropertyDescriptor(of, name)] as const);
  names.forEach((name) => Object.defineProperty(of, name, { configurable: true, writable: true, value: refuse(`${what}.${name}`) }));
  return () => old.forEach(([name, was]) => (was ? Object.defineProperty(of, name, was) : delete (of as Record<string, unknown>)[name]));
}

const SENDS = ['fetch', 'get', 'post', 'put', 'patch', 'delete', 'head'];

/** Whoever registers a route gets it after the guard. */
function behind(of: BrowserContext | Page, attempt: Attempt) {
  const route = of.route.bind(of) as (url: unknown, handler: unknown, options?: unknown) => Promise<unknown>;
  const unroute = of.unroute.bind(of) as (url: unknown, handler?: unknown) => Promise<void>;
  const kept: { url: unknown; handler: unknown; guarded: unknown }[] = [];
  const loose = of as unknown as Record<string, unknown>;
  loose.route = (url: unknown, handler: (route: Route, request: unknown) => unknown, options?: unknown) => {
    const guarded = (one: Route) => attempt.route(one, () => handler(one, one.request()));
    kept.push({ url, handler, guarded });
    return route(url, guarded, options);
  };
  loose.unroute = async (url: unknown, handler?: unknown) => {
    const same = (one: unknown) => one === url || (one instanceof RegExp && url instanceof RegExp && String(one) === String(url));
    for (let at = kept.length - 1; at >= 0; at -= 1) {
      if (same(kept[at].url) && (handler === undefined || kept[at].handler === handler)) {
        await unroute(kept[at].url, kept[at].guarded);
        kept.splice(at, 1);
      }
    }
  };
  const har = of.routeFromHAR.bind(of);
  loose.routeFromHAR = (...args: Parameters<typeof har>) => {
    attempt.unseen.add('routeFromHAR: answers come from a file');
    return har(...args);
  };
  return route;
}

/** Sets the guard up in a context, before any page of it. */
async function stand(context: BrowserContext, attempt: Attempt) {
  const route = behind(context, attempt);
  context.on('page', (page) => {
    behind(page, attempt);
    page.on('worker', (worker) => {
      if (!attempt.leaves('WORKER', worker.url(), null)) attempt.unseen.add('a worker that should not have been was running');
    });
    if (mutation.policy === 'read-only') page.on('dialog', (dialog) => void dialog.dismiss().catch(() => {}));
  });
  await context.exposeBinding(attempt.binding, (_source, told: { key?: string; what?: string; reason?: string; label?: string }) => {
    if (told?.key !== attempt.key) return;
    if (told.what === 'installed') attempt.installed = true;
    if (told.what === 'control') attempt.note({ kind: 'control', action: 'block', reason: String(told.reason), label: String(told.label) });
  });
  const { binding, setter, key } = attempt;
  await context.addInitScript({ content: pageSource({ guard: rules, state: attempt.state(), binding, setter, key }) });
  await route('**/*', (one: Route) => attempt.route(one, () => one.fallback()));
  await context.routeWebSocket(/.*/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      if (attempt.leaves('WEBSOCKET', socket.url(), typeof frame === 'string' ? frame : null)) server.send(frame);
    });
  });
  if (!free) {
    shut(context.request, SENDS, 'context.request');
    shut(context, ['newCDPSession'], 'context');
  }
}

export type Guard = {
  /** Lets writes through on pages whose URL matches; the last one wins, for documents that are opened from now on. */
  setScope(scope: { url: string }): Promise<void>;
};

type ForTest = {
  guard: Guard;
  guardAttempt: Attempt;
  newGuardedContext: (options?: BrowserContextOptions) => Promise<BrowserContext>;
};

type ForWorker = { guardBrowser: { open: boolean } };

export const test = base.extend<ForTest, ForWorker>({
  serviceWorkers: 'block',

  // From the worker's start on: beforeAll may not open a way around the guard either.
  guardBrowser: [async ({ browser, playwright }, use) => {
    const gate = { open: false };
    const back: (() => void)[] = [];
    if (!free) {
      const loose = browser as unknown as Record<string, unknown>;
      for (const name of ['newContext', 'newPage'] as const) {
        const old = (browser[name] as (...args: unknown[]) => unknown).bind(browser);
        loose[name] = (...args: unknown[]) => (gate.open ? old(...args) : refuse(`browser.${name}`)());
        back.push(() => { delete loose[name]; });
      }
      back.push(shut(browser, ['newBrowserCDPSession'], 'browser'));
      for (const name of ['chromium', 'firefox', 'webkit'] as const) {
        back.push(shut(playwright[name], ['launch', 'launchPersistentContext', 'launchServer', 'connect', 'connectOverCDP'], `playwright.${name}`));
      }
      back.push(shut(playwright.request, ['newContext'], 'playwright.request'), shut(apiRequest, ['newContext'], 'request'));
      back.push(shut(globalThis, ['fetch'], 'global'));
    }
    await use(gate);
    back.forEach((one) => one());
  }, { scope: 'worker', auto: true }],

  guardAttempt: [async ({ guardBrowser }, use, info) => {
    const attempt = new Attempt();
    guardBrowser.open = true;
    await use(attempt);
    guardBrowser.open = false;
    const file = info.outputPath('writes.json');
    writeFileSync(file, `${JSON.stringify(attempt.record(), null, 2)}\n`);
    info.attachments.push({ name: 'writes.json', path: file, contentType: 'application/json' });
  }, { auto: true }],

  context: async ({ guardAttempt, context, guardBrowser }, use) => {
    guardBrowser.open = false;
    await stand(context, guardAttempt);
    await use(context);
  },

  ...(free ? {} : {
    // The fixture of Playwright itself would begin by asking for what is shut.
    request: async ({}, use: (request: APIRequestContext) => Promise<void>) => {
      const none = Object.fromEntries([...SENDS, 'storageState', 'dispose'].map((name) => [name, refuse(`request.${name}`)]));
      await use(none as unknown as APIRequestContext);
    },
  }),

  // Every test has a context, so that the guard stands in it.
  guard: [async ({ context, guardAttempt }, use) => {
    await use({
      async setScope({ url }) {
        new RegExp(url);
        guardAttempt.scopes.push(url);
        const { setter, key } = guardAttempt;
        await context.addInitScript({ content: scopeSource({ setter, key, scopeUrl: url }) });
      },
    });
  }, { auto: true }],

  newGuardedContext: async ({ browser, guardBrowser, guardAttempt }, use) => {
    const made: BrowserContext[] = [];
    await use(async (options) => {
      guardBrowser.open = true;
      let context: BrowserContext;
      try {
        context = await (browser as Browser).newContext({ ...options, serviceWorkers: 'block' });
      } finally {
        guardBrowser.open = false;
      }
      made.push(context);
      await stand(context, guardAttempt);
      return context;
    });
    for (const context of made) await context.close();
  },
});

/** Where a fixture project keeps who it made: written by its setup, read by the tests that depend on it. */
export function fixtureFile(name: string): string {
  const folder = process.env.QA_PILOT_FIXTURE_DIR;
  if (!folder) throw new Error('QA_PILOT_FIXTURE_DIR is not set: fixtures belong to a run');
  return join(folder, `${name}.json`);
}

export const readFixture = (name: string): unknown => JSON.parse(readFileSync(fixtureFile(name), 'utf8'));
