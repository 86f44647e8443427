import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
  retainSearchParams,
} from '@tanstack/react-router'
import { sessionQuery } from '../api/session.ts'
import { chooseAccount } from './account.ts'
import { PageFailure } from './page-failure.tsx'
import { PageLoading } from './page-loading.tsx'
import { PageMissing } from './page-missing.tsx'
import { queryClient } from './query-client.ts'
import { Shell } from './shell.tsx'

/** All values are text: what a page keeps in the address is read by it, see `useUrlState`. */
export type Search = { account?: string; return?: string } & Record<string, string | undefined>

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: PageMissing,
  validateSearch: (search: Record<string, unknown>): Search => search as Search,
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/overview', replace: true })
  },
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/index.tsx'), 'Page'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: lazyRouteComponent(() => import('../pages/sign-up/index.tsx'), 'Page'),
})

/** Everything behind the sign-in, inside the frame; the chosen account is always in the address. */
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
      throw redirect({ to: location.pathname, search: { ...search, account: account.id }, replace: true })
    }
  },
})

const operator = createRoute({
  getParentRoute: () => app,
  id: 'operators',
  component: Outlet,
  beforeLoad: async () => {
    const { user } = await queryClient.ensureQueryData(sessionQuery)
    // To others these pages do not exist, just as the calls behind them refuse.
    if (user?.is_operator !== true) throw redirect({ to: '/overview', replace: true })
  },
})

const pages = [
  createRoute({
    getParentRoute: () => app,
    path: '/overview',
    component: lazyRouteComponent(() => import('../pages/overview/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/keys',
    component: lazyRouteComponent(() => import('../pages/keys/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/keys/$id',
    component: lazyRouteComponent(() => import('../pages/key/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/models',
    component: lazyRouteComponent(() => import('../pages/models/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/playground',
    component: lazyRouteComponent(() => import('../pages/playground/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/requests',
    component: lazyRouteComponent(() => import('../pages/requests/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/requests/$id',
    component: lazyRouteComponent(() => import('../pages/request/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/billing',
    component: lazyRouteComponent(() => import('../pages/billing/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/billing/credentials',
    component: lazyRouteComponent(() => import('../pages/own-credentials/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/connect',
    component: lazyRouteComponent(() => import('../pages/connect/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => app,
    path: '/settings',
    component: lazyRouteComponent(() => import('../pages/settings/index.tsx'), 'Page'),
  }),
] as const

/** Inside the frame, so that whoever is lost keeps the menu. */
const missing = createRoute({ getParentRoute: () => app, path: '$', component: PageMissing })

const operatorPages = [
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/accounts',
    component: lazyRouteComponent(() => import('../pages/operator-accounts/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/accounts/$id',
    component: lazyRouteComponent(() => import('../pages/operator-account/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/suppliers',
    component: lazyRouteComponent(() => import('../pages/operator-suppliers/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/suppliers/$id',
    component: lazyRouteComponent(() => import('../pages/operator-supplier/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/models',
    component: lazyRouteComponent(() => import('../pages/operator-models/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/models/$id',
    component: lazyRouteComponent(() => import('../pages/operator-model/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/settlements',
    component: lazyRouteComponent(() => import('../pages/operator-settlements/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/settlements/$id',
    component: lazyRouteComponent(() => import('../pages/operator-settlement/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/audit',
    component: lazyRouteComponent(() => import('../pages/operator-audit/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/system',
    component: lazyRouteComponent(() => import('../pages/operator-system/index.tsx'), 'Page'),
  }),
  createRoute({
    getParentRoute: () => operator,
    path: '/operator/users',
    component: lazyRouteComponent(() => import('../pages/operator-users/index.tsx'), 'Page'),
  }),
] as const

const PENDING_MS = 150

export const router = createRouter({
  routeTree: root.addChildren([
    start,
    signIn,
    signUp,
    app.addChildren([...pages, missing, operator.addChildren([...operatorPages])]),
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
