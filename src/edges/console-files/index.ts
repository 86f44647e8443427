import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Type from 'typebox'
import { GatewayError } from '../../errors/gateway-error.ts'
import type { Endpoint, Exchange } from '../../serve/ports/exchange.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import { BuiltConsole } from './built-console.ts'
import { fileResponse, pageResponse } from './console-responses.ts'

/** A released program has the build beside its code, or inside itself; the sources have the folder that it is written to. */
const SHIPPED = join(import.meta.dirname, 'shipped/console')
const BUILT_IN = existsSync(join(SHIPPED, 'manifest.json'))
  ? SHIPPED
  : join(import.meta.dirname, '../../../console/dist')

const ASSETS = 'assets/'

const file = { name: null, schema: Type.String(), contentType: '*/*' } as const

const openContract: Contract = {
  id: 'openConsole',
  tag: 'Service',
  summary: 'Redirect to the web console',
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
  summary: 'Show the web console or one of its files',
  access: 'public',
  documentPath: '/console/{page}',
  answer: {
    ...file,
    description: 'A page, a script, a style sheet or an image.',
    example: '<!doctype html>',
  },
  errors: [404, 500, 503],
}

/**
 * Serves the built web console: its files, and the same page for every other path under `/console`, because the page
 * does its own routing.
 */
export function consoleFileEndpoints(currencyName: string, folder: string = BUILT_IN): Endpoint[] {
  const built = new BuiltConsole(folder, currencyName)
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
      handle: (exchange) => respond(exchange, built),
    },
  ]
}

function respond(exchange: Exchange, built: BuiltConsole): Promise<Response> | Response {
  const rest = exchange.params['*'] ?? ''
  if (rest === 'api' || rest.startsWith('api/')) {
    throw new GatewayError('not_found', 'The console API has no such endpoint.')
  }
  if (rest.startsWith(ASSETS)) return fileResponse(exchange, built, rest.slice(ASSETS.length))
  return pageResponse(built)
}
