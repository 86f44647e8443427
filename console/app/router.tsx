import {
  type AnyRoute,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { sessionQuery } from '../api/session.ts'
import { chooseAccount } from './account.ts'
import { MissingPart, PageFailure } from './page-failure.tsx'
import { PageLoading } from './page-loading.tsx'
import { PageMissing } from './page-missing.tsx'
import { queryClient } from './query-client.ts'
import { RECORD_PAGES } from './record-pages.ts'
import { Shell } from './shell/shell.tsx'

/** All values are text. Pages read theirs with `useUrlState`. */
export type Search = { account?: string | undefined; return?: string } & Record<string, string | undefined>

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: PageMissing,
  validateSearch: (search: Record<string, unknown>): Search => search as Search,
})

interface PageRoute<Path extends string> {
  readonly path: Path
  // Untyped on purpose: pages import the router, so their types would be circular.
  readonly load: () => Promise<object>
}

// One lost packet must not cost what somebody has typed: the router would load the whole console anew.
const LOAD_AGAIN_MS = 300

async function loadTwice<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load()
  } catch {
    await new Promise((resolve) => setTimeout(resolve, LOAD_AGAIN_MS))
    return load()
  }
}

/** Loads each page on first use. */
function page<Parent extends AnyRoute, Path extends string>(parent: Parent, { path, load }: PageRoute<Path>) {
  const loadPage = () =>
    (loadTwice(load) as Promise<{ readonly Page: () => ReactNode }>).catch((error: unknown) => {
      // The router would reload at once, which ends on an error page while the gateway is away.
      throw new MissingPart(error)
    })
  return createRoute({ getParentRoute: () => parent, path, component: lazyRouteComponent(loadPage, 'Page') })
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    const first = user?.is_operator === true ? '/operator' : '/overview'
    throw redirect({ to: user === null ? '/sign-in' : first, replace: true })
  },
})

const signIn = page(root, { path: '/sign-in', load: () => import('../pages/sign-in/index.tsx') })
const signUp = page(root, { path: '/sign-up', load: () => import('../pages/sign-up/index.tsx') })

const join = page(root, { path: '/join', load: () => import('../pages/join/index.tsx') })
const forgottenPassword = page(root, {
  path: '/forgotten-password',
  load: () => import('../pages/forgotten-password/index.tsx'),
})
const newPassword = page(root, {
  path: '/new-password',
  load: () => import('../pages/new-password/index.tsx'),
})

/** Everything behind the sign-in, inside the frame. The chosen account is always in the address. */
const app = createRoute({
  getParentRoute: () => root,
  id: 'app',
  component: Shell,
  search: { middlewares: [retainSearchParams<Search>(['account'])] },
  beforeLoad: async ({ location, search }) => {
    const session = await queryClient.ensureQueryData(sessionQuery)
    if (session.user === null) {
      throw redirect({
        to: '/sign-in',
        search: { return: location.pathname + location.searchStr },
        replace: true,
      })
    }
    const account = chooseAccount(session, search.account)
    if (account !== null && search.account !== account.id) {
      // Without a word, the page of the own account would pass for the one that the link leads to.
      const elsewhere = search.account === undefined ? undefined : 'yes'
      const own = { ...search, account: account.id, elsewhere }
      throw redirect({ to: location.pathname, search: own, replace: true })
    }
  },
})

const operator = createRoute({
  getParentRoute: () => app,
  id: 'operators',
  component: Outlet,
  beforeLoad: async () => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    // Hidden from other users, whose calls the gateway refuses as well.
    if (user?.is_operator !== true) throw redirect({ to: '/overview', replace: true })
  },
})

const pages = [
  page(app, { path: '/overview', load: () => import('../pages/overview/index.tsx') }),
  page(app, { path: '/explore', load: () => import('../pages/explore/index.tsx') }),
  page(app, { path: '/keys', load: () => import('../pages/keys/index.tsx') }),
  page(app, { path: '/keys/$id', load: () => import('../pages/key/index.tsx') }),
  page(app, { path: '/models', load: () => import('../pages/models/index.tsx') }),
  page(app, { path: '/playground', load: () => import('../pages/playground/index.tsx') }),
  page(app, { path: '/requests', load: () => import('../pages/requests/index.tsx') }),
  page(app, { path: '/requests/$id', load: () => import('../pages/request/index.tsx') }),
  page(app, { path: '/billing', load: () => import('../pages/billing/index.tsx') }),
  page(app, { path: '/billing/receipts/$id', load: () => import('../pages/receipt/index.tsx') }),
  page(app, { path: '/billing/credentials', load: () => import('../pages/own-credentials/index.tsx') }),
  page(app, { path: '/connect', load: () => import('../pages/connect/index.tsx') }),
  page(app, { path: '/settings', load: () => import('../pages/settings/index.tsx') }),
] as const

/** Inside the frame, so that the menu stays available. */
const missing = createRoute({ getParentRoute: () => app, path: '$', component: PageMissing })

const operatorPages = [
  page(operator, { path: '/operator', load: () => import('../pages/operator-dashboard/index.tsx') }),
  page(operator, { path: '/operator/accounts', load: () => import('../pages/operator-accounts/index.tsx') }),
  page(operator, {
    path: '/operator/accounts/$id',
    load: () => import('../pages/operator-account/index.tsx'),
  }),
  page(operator, {
    path: '/operator/suppliers',
    load: () => import('../pages/operator-suppliers/index.tsx'),
  }),
  page(operator, {
    path: '/operator/suppliers/$id',
    load: () => import('../pages/operator-supplier/index.tsx'),
  }),
  page(operator, { path: '/operator/models', load: () => import('../pages/operator-models/index.tsx') }),
  page(operator, { path: '/operator/models/$id', load: () => import('../pages/operator-model/index.tsx') }),
  page(operator, { path: '/operator/prices', load: () => import('../pages/operator-prices/index.tsx') }),
  page(operator, {
    path: '/operator/settlements',
    load: () => import('../pages/operator-settlements/index.tsx'),
  }),
  page(operator, {
    path: '/operator/settlements/$id',
    load: () => import('../pages/operator-settlement/index.tsx'),
  }),
  page(operator, { path: '/operator/explore', load: () => import('../pages/operator-explore/index.tsx') }),
  page(operator, { path: '/operator/usage', load: () => import('../pages/operator-usage/index.tsx') }),
  page(operator, { path: '/operator/alerts', load: () => import('../pages/operator-alerts/index.tsx') }),
  page(operator, { path: '/operator/sinks', load: () => import('../pages/operator-sinks/index.tsx') }),
  page(operator, { path: '/operator/audit', load: () => import('../pages/operator-audit/index.tsx') }),
  page(operator, { path: '/operator/system', load: () => import('../pages/operator-system/index.tsx') }),
  page(operator, { path: '/operator/users', load: () => import('../pages/operator-users/index.tsx') }),
] as const

const recordPages = RECORD_PAGES.map((each) => page(operator, each))

const PENDING_MS = 150

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    signIn,
    signUp,
    join,
    forgottenPassword,
    newPassword,
    app.addChildren([...pages, missing, operator.addChildren([...operatorPages, ...recordPages])]),
  ]),
  basepath: '/console',
  defaultPreload: 'intent',
  defaultPendingMs: PENDING_MS,
  defaultPendingMinMs: 0,
  defaultPendingComponent: PageLoading,
  defaultErrorComponent: PageFailure,
  defaultNotFoundComponent: PageMissing,
  scrollRestoration: true,
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch,
})

function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(search)) {
    if (typeof value === 'string' && value !== '') parameters.set(name, value)
  }
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
