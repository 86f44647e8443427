import type { Exchange, Reply } from '../../serve/ports/exchange.ts'

const EXPOSED = [
  'x-request-id',
  'request-id',
  'retry-after',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
  'x-gateway-route',
  'x-gateway-attempts',
  'x-gateway-dropped-params',
  'x-should-retry',
].join(', ')

/**
 * Added to the answer of every request with an `origin`: pages of any origin may read it. With this header, browsers
 * hide responses to requests that carry cookies, so no session leaks.
 */
export const CORS_LINES = `access-control-allow-origin: *\r\naccess-control-expose-headers: ${EXPOSED}\r\n`

const PREFLIGHT_SECONDS = 86_400

export function answerPreflight({ headers }: Pick<Exchange, 'headers'>, methods: readonly string[]): Reply {
  return {
    status: 204,
    headers: {
      allow: methods.join(', '),
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': headers.get('access-control-request-headers') ?? '*',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    },
    body: '',
  }
}
