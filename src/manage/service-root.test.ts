import { describe, expect, test } from 'bun:test'
import type { Exchange } from '../serve/ports/exchange.ts'
import { rootEndpoint } from './service-root.ts'

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8'

async function get(accept: string | null): Promise<Response> {
  const headers = new Headers(accept === null ? {} : { accept })
  return (await rootEndpoint('1.2.3').handle({ headers } as unknown as Exchange)) as Response
}

describe('the root', () => {
  test.each([CHROME, 'TEXT/HTML', 'application/json, text/html;q=0.5'])(
    'sends a client that accepts %s to the console',
    async (accept) => {
      const response = await get(accept)
      expect([response.status, response.headers.get('location')]).toEqual([302, '/console/'])
      expect(response.headers.get('vary')).toBe('accept')
    },
  )

  test.each([null, '*/*', 'application/json, text/plain, */*', 'text/html;q=0', 'text/html5'])(
    'tells a program that accepts %s what is where',
    async (accept) => {
      const response = await get(accept)
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({
        status: 'ok',
        name: 'Turnpike',
        version: '1.2.3',
        links: {
          docs: '/docs',
          openapi: '/openapi.json',
          console: '/console/',
          health: '/healthz',
          models: '/v1/models',
        },
      })
    },
  )
})
