import { existsSync } from 'node:fs'
import { join } from 'node:path'
import Type from 'typebox'
import type { Endpoint } from '../../serve/ports/exchange.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import { BuiltGuide } from './built-guide.ts'
import { guideResponse } from './guide-responses.ts'

/** A released program has the site beside its code, or inside itself; the sources have the folder that it is written to. */
const SHIPPED = join(import.meta.dirname, 'shipped/guide')
const BUILT_IN = existsSync(SHIPPED) ? SHIPPED : join(import.meta.dirname, '../../../docs/.vitepress/dist')

const file = { name: null, schema: Type.String(), contentType: '*/*' } as const

const openContract: Contract = {
  id: 'openGuide',
  tag: 'Service',
  summary: 'Redirect to the documentation',
  access: 'public',
  answer: {
    ...file,
    description: 'The documentation is at `/guide/`.',
    example: '',
    status: 308,
    headers: ['location'],
  },
}

const showContract: Contract = {
  id: 'showGuide',
  tag: 'Service',
  summary: 'Show a page of the documentation or one of its files',
  access: 'public',
  documentPath: '/guide/{page}',
  answer: {
    ...file,
    description: 'A page, a script, a style sheet or an image.',
    example: '<!doctype html>',
  },
  errors: [404, 500, 503],
}

/** Serves the documentation site, or a page that says how to build it. */
export function guideFileEndpoints(folder: string = BUILT_IN): Endpoint[] {
  const built = new BuiltGuide(folder)
  return [
    {
      method: 'GET',
      path: '/guide',
      contract: openContract,
      handle: () => new Response(null, { status: 308, headers: { location: '/guide/' } }),
    },
    {
      method: 'GET',
      path: '/guide/*',
      contract: showContract,
      handle: (exchange) => guideResponse(exchange, built),
    },
  ]
}
