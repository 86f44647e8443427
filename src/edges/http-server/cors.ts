import type { Exchange, Reply } from '../../serve/ports/exchange.ts'

type Asking = Pick<Exchange, 'headers'>

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

const LINES = `access-control-allow-origin: *\r\naccess-control-expose-headers: ${EXPOSED}\r\n`

const PREFLIGHT_SECONDS = 86_400

/**
 * Lets a page of any origin read the response. Browsers refuse such an answer to whoever sent cookies along, so no
 * session is given away.
 */
export function linesForBrowsers(request: Asking): string {
  return request.headers.has('origin') ? LINES : ''
}

export function answerPreflight(request: Asking, methods: readonly string[]): Reply {
  return {
    status: 204,
    headers: {
      allow: methods.join(', '),
      'access-control-allow-origin': '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '*',
      'access-control-max-age': String(PREFLIGHT_SECONDS),
    },
    body: '',
  }
}
