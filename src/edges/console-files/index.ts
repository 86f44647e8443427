import { join } from 'node:path'
import Type from 'typebox'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import { giveAsset } from './assets.ts'
import { BuiltConsole } from './built-console.ts'
import { givePage } from './page.ts'

/** Where the build puts the console, seen from this file; a single binary carries a copy inside itself. */
const BUILT_IN = join(
  import.meta.dirname,
  Bun.isStandaloneExecutable ? 'shipped/console' : '../../../console/dist',
)

const ASSETS = 'assets/'

const file = { name: null, schema: Type.String(), contentType: '*/*' } as const

const openContract: Contract = {
  id: 'openConsole',
  tag: 'Service',
  summary: 'Lead to the web console',
  access: 'public',
  answer: {
    ...file,
    description: 'The console is at `/console/`.',
    example: '',
    status: 308,
    headers: ['location'],
  },
}

const showContract: Contract = {
  id: 'showConsole',
  tag: 'Service',
  summary: 'Show the web console, or give a file of it',
  access: 'public',
  documentPath: '/console/{page}',
  answer: {
    ...file,
    description: 'A page, a script, a style sheet or a picture.',
    example: '<!doctype html>',
  },
  errors: [404, 500, 503],
}

/**
 * The web console as it was built: its files, and its one page for every other address under `/console`, since the
 * page itself decides what an address shows.
 */
export function consoleFileEndpoints(folder: string = BUILT_IN): Endpoint[] {
  const built = new BuiltConsole(folder)
  return [
    {
      method: 'GET',
      path: '/console',
      contract: openContract,
      handle: () => new Response(null, { status: 308, headers: { location: '/console/' } }),
    },
    {
      method: 'GET',
      path: '/console/*',
      contract: showContract,
      handle: (exchange) => give(exchange, built),
    },
  ]
}

function give(exchange: Exchange, built: BuiltConsole): Promise<Response> | Response {
  const rest = exchange.params['*'] ?? ''
  if (rest === 'api' || rest.startsWith('api/')) {
    throw new GatewayError('not_found', 'The console has no such call.')
  }
  if (rest.startsWith(ASSETS)) return giveAsset(exchange, built, rest.slice(ASSETS.length))
  return givePage(built)
}
