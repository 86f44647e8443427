import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Stage } from './stage.ts'

const CONSOLE = join(import.meta.dirname, '../../../console')

/** Every page the router knows, as it stands in the source: whoever adds one has it tested. */
export function listRoutes(): string[] {
  const source = readFileSync(join(CONSOLE, 'app/router.tsx'), 'utf8')
  const paths = [...source.matchAll(/\bpath: '(\/[^']*)'/g)].map((match) => match[1] ?? '')
  return paths.filter((path) => path !== '/')
}

/** Every name under which a page keeps something in its address. */
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

/** What a page shows only when its address says so: tabs, drawers and the like. */
const VIEWS = [
  '/keys?create=yes',
  '/keys/$id?edit=yes',
  '/models?model=sandbox-chat',
  '/playground?mode=images',
  '/playground?mode=images&task=edit',
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
  '/operator/suppliers?do=create',
  '/operator/suppliers/$id?do=credential',
  '/operator/suppliers/$id?do=edit',
  '/operator/models?do=create',
  '/operator/models/$id?do=route',
  '/operator/models/$id?do=edit',
  '/operator/models/$id?route=sandbox-openai',
  '/operator/users?do=create',
] as const

export function listViews(): readonly string[] {
  return VIEWS
}

/** Fills in the address of a route; one that names an unknown kind of thing has to be thought about. */
export function fillRoute(route: string, ids: Readonly<Record<string, string>>): string {
  const [path = '', query] = route.split('?')
  if (!path.includes('$id')) return route
  const id = ids[path.replace('/$id', '')]
  if (id === undefined) throw new Error(`nothing is known to open ${route} with`)
  return path.replace('$id', encodeURIComponent(id)) + (query === undefined ? '' : `?${query}`)
}

/** Something of each kind, of the account all tests share. */
export async function findIds(stage: Stage): Promise<Record<string, string>> {
  const { accountId, keyId } = stage.home
  const { data } = await stage.gateway.operator<{ data: { request_id: string }[] }>(
    'GET',
    `/settlements?account=${accountId}&limit=1`,
  )
  const requestId = data[0]?.request_id ?? ''
  return {
    '/keys': keyId,
    '/requests': requestId,
    '/operator/accounts': accountId,
    '/operator/suppliers': 'sandbox-openai',
    '/operator/models': 'sandbox-chat',
    '/operator/settlements': requestId,
  }
}

const UNDER_WAY = '.mantine-Skeleton-root, [aria-busy="true"], .mantine-Loader-root'

/** Waits until a page has what it shows: no place holders, nothing under way. */
export async function settle(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator(UNDER_WAY).first().waitFor({ state: 'detached' })
}

const ENDING_MOVES = `document.getAnimations().filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime))`

/** Changes the colours and waits until none is halfway between two. */
export async function turn(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme })
  await page.evaluate(`new Promise(requestAnimationFrame).then(() =>
    Promise.allSettled(${ENDING_MOVES}.map((each) => each.finished)).then(() => true))`)
}

/** Pages for those who have not signed in. */
export function isEntry(route: string): boolean {
  return route.startsWith('/sign-')
}

/** The same address, for a certain account. */
export function withAccount(path: string, accountId: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}account=${accountId}`
}
