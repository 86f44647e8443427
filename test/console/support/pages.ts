import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

const CONSOLE = join(import.meta.dirname, '../../../console')

/** Every page of the router, read from its source, so that new pages are tested automatically. */
export function listRoutes(): string[] {
  return [...pathsIn('app/router.tsx'), ...listRecordRoutes()].filter((path) => path !== '/')
}

function listRecordRoutes(): string[] {
  return pathsIn('app/record-pages.ts')
}

function pathsIn(file: string): string[] {
  const source = readFileSync(join(CONSOLE, file), 'utf8')
  return [...source.matchAll(/\bpath: '(\/[^']*)'/g)].map((match) => match[1] ?? '')
}

/** Every address parameter of the pages. */
export function listAddressNames(): string[] {
  const names = new Set<string>()
  for (const file of new Bun.Glob('**/*.{ts,tsx}').scanSync({ cwd: CONSOLE })) {
    if (file.startsWith('dist/')) continue
    const source = readFileSync(join(CONSOLE, file), 'utf8')
    for (const [, fields = ''] of source.matchAll(
      /(?:useUrlState\(|(?:DEFAULTS|NO_FILTERS)\b[^=]*= )\{([^}]*)\}/g,
    )) {
      for (const [, name = ''] of fields.matchAll(/(\w+):/g)) names.add(name)
    }
  }
  return [...names].toSorted()
}

/** Views that need address parameters: tabs, drawers and the like. */
const VIEWS = [
  '/explore?by=model&show=lines&compare=yes',
  '/explore?by=code&metric=errors&show=table',
  '/keys?create=yes',
  '/keys/$id?edit=yes',
  '/models?model=sandbox-chat',
  '/playground?mode=images',
  '/playground?mode=images&task=edit',
  '/playground?mode=embedding',
  '/playground?mode=speech',
  '/playground?mode=transcription',
  '/billing?tab=payments',
  '/billing?tab=exports',
  '/billing?tab=alerts',
  '/billing?tab=webhook',
  '/billing?tab=bodies',
  '/billing/credentials?add=yes',
  '/connect?tool=claude-code',
  '/settings?tab=security',
  '/settings?tab=members',
  '/operator/accounts?do=create',
  '/operator/accounts?do=import',
  '/operator/accounts/$id?tab=money',
  '/operator/accounts/$id?tab=keys',
  '/operator/accounts/$id?tab=alerts',
  '/operator/accounts/$id?do=payment',
  '/operator/accounts/$id?do=tier',
  '/operator/accounts/$id?do=edit',
  '/operator/accounts/$id?do=adjustment',
  '/operator/accounts/$id?do=suspend',
  '/operator/accounts/$id?do=close',
  '/operator/suppliers?do=create',
  '/operator/suppliers/$id?do=credential',
  '/operator/suppliers/$id?do=edit',
  '/operator/models?do=create',
  '/operator/models/$id?do=route',
  '/operator/models/$id?do=edit',
  '/operator/models/$id?route=sandbox-openai',
  '/operator/prices?open=hostile%2Fmodel%20groq',
  '/operator/usage?by=account_id',
  '/operator/users?do=create',
  '/operator/alerts?tab=channels',
  '/operator/alerts?tab=channels&do=create',
  '/operator/sinks?do=create',
] as const

export function listViews(): readonly string[] {
  return [...VIEWS, ...listRecordRoutes().map((path) => `${path}?do=create`)]
}

/** What pages of a single thing are opened with, by their route without the id. */
export type RouteIds = Readonly<
  Record<
    | '/keys'
    | '/requests'
    | '/billing/receipts'
    | '/operator/accounts'
    | '/operator/suppliers'
    | '/operator/models'
    | '/operator/settlements',
    string
  >
>

/** Fills in the parameters of a route. Throws for an unknown one, so that new routes are handled. */
export function fillRoute(route: string, ids: RouteIds): string {
  const [path = '', query] = route.split('?')
  if (!path.includes('$id')) return route
  const id = (ids as Readonly<Record<string, string>>)[path.replace('/$id', '')]
  if (id === undefined) throw new Error(`nothing is known to open ${route} with`)
  return path.replace('$id', encodeURIComponent(id)) + (query === undefined ? '' : `?${query}`)
}

const UNDER_WAY = '.mantine-Skeleton-root, [aria-busy="true"], .mantine-Loader-root'

/** Waits until a page has loaded: no placeholders, no running requests. */
export async function settle(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  await page.locator(UNDER_WAY).first().waitFor({ state: 'detached' })
}

/** Waits until a view is shown, including its dialog or drawer. */
export async function settleView(page: Page, route: string): Promise<void> {
  if (/^\/models\?model=|[?&](do|create|edit|add|route|open)=/.test(route))
    await page.locator('[role="dialog"]').waitFor()
  await settle(page)
}

/** Disables transitions, so that checks never see a state in between. */
export async function stopMoves(page: Page): Promise<void> {
  await page.evaluate(`(() => {
    const still = new CSSStyleSheet()
    still.replaceSync('*, ::before, ::after { transition: none !important }')
    document.adoptedStyleSheets.push(still)
  })()`)
}

/** Switches the colour scheme and waits a frame until it is applied. */
export async function turn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ state: 'attached' })
}

const ENTRIES = new Set(['/join', '/forgotten-password', '/new-password'])

/** Pages for visitors who are not signed in. */
export function isEntry(route: string): boolean {
  return route.startsWith('/sign-') || ENTRIES.has(route)
}

/** The same address for the given account. */
export function withAccount(path: string, accountId: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}account=${accountId}`
}
