import Type from 'typebox'
import type { Endpoint, Exchange } from '../serve/ports/exchange.ts'
import type { Contract } from '../vocabulary/runtime/contract.ts'

const CONSOLE = '/console/'

/** Where a program finds what this gateway offers. Without a host, so that they hold behind any proxy. */
const LINKS = {
  docs: '/docs',
  openapi: '/openapi.json',
  console: CONSOLE,
  health: '/healthz',
  models: '/v1/models',
} as const

const Root = Type.Object({
  status: Type.Literal('ok'),
  name: Type.String(),
  version: Type.String(),
  links: Type.Object(
    Object.fromEntries(Object.keys(LINKS).map((name) => [name, Type.String()])) as Record<
      keyof typeof LINKS,
      ReturnType<typeof Type.String>
    >,
  ),
})

const rootContract: Contract = {
  id: 'showRoot',
  tag: 'Service',
  summary: 'Find what this gateway offers',
  description: `Browsers, which accept \`text/html\`, are sent to the console with status 302.`,
  access: 'public',
  answer: {
    description: 'The version of this gateway, and the paths of its parts.',
    name: 'Root',
    schema: Root,
    example: { status: 'ok', name: 'Turnpike', version: '1.0.0', links: LINKS },
  },
}

/** `/`: people are sent to the console, programs are told what is where. Coding agents send it `HEAD` to connect early. */
export function rootEndpoint(version: string): Endpoint {
  return {
    method: 'GET',
    path: '/',
    contract: rootContract,
    handle: (exchange) => {
      // Caches must not give a program the redirect of a browser.
      const headers = { vary: 'accept', 'cache-control': 'no-cache' }
      if (acceptsPages(exchange))
        return new Response(null, { status: 302, headers: { ...headers, location: CONSOLE } })
      return Response.json({ status: 'ok', name: 'Turnpike', version, links: LINKS }, { headers })
    },
  }
}

/** Whether the client names HTML among what it accepts. Programs that accept everything do not. */
function acceptsPages({ headers }: Pick<Exchange, 'headers'>): boolean {
  const ranges = (headers.get('accept') ?? '').toLowerCase().split(',')
  return ranges.some((range) => {
    const [type, ...parameters] = range.split(';').map((part) => part.trim())
    return type === 'text/html' && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
  })
}
