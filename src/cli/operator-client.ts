import { OPERATOR_PATH } from '../edges/management-api/operator/address.ts'
import type { Environment } from '../edges/settings/read-settings.ts'
import type { HttpMethod } from '../serve/ports/exchange.ts'
import { UsageError } from './command.ts'
import { gatewayAddressOf } from './gateway-address.ts'

const EXAMPLE_URL = 'http://127.0.0.1:8080'

/** The operator API of a running gateway. Paths are those behind `/operator/v1`, such as `/suppliers`. */
export interface OperatorClient {
  /** The JSON the gateway answers. */
  call<T>(method: HttpMethod, path: string, body?: object): Promise<T>
  /** An answer that is read as it arrives. */
  stream(path: string): Promise<Response>
}

interface OperatorAddress {
  /** Where the gateway listens, without a path. */
  readonly url: string
  readonly token: string
}

/** A refusal of the gateway, or no answer. The message is one line and never contains the token. */
export class OperatorCallError extends Error {
  /** The status and error code; null when no gateway answered. */
  readonly status: number | null
  readonly code: string | null

  constructor(message: string, answer: { status: number; code: string | null } | null = null) {
    super(message)
    this.name = 'OperatorCallError'
    this.status = answer?.status ?? null
    this.code = answer?.code ?? null
  }
}

export function createOperatorClient({ url, token }: OperatorAddress): OperatorClient {
  const base = readUrl(url)
  const send = async (method: HttpMethod, path: string, body?: object) => {
    const headers: Record<string, string> = { authorization: `Bearer ${token}` }
    if (body !== undefined) headers['content-type'] = 'application/json'
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await reach(base, () => fetch(`${base}${OPERATOR_PATH}${path}`, init))
    if (!response.ok) throw await refusalOf(response, base)
    return response
  }
  return {
    call: async <T>(method: HttpMethod, path: string, body?: object) =>
      (await readJson(await send(method, path, body), base)) as T,
    stream: (path) => send('GET', path),
  }
}

/** The gateway at `TURNPIKE_URL`, or at `HOST` and `PORT`, with the token in `TURNPIKE_OPERATOR_TOKEN`. */
export function connectFromEnvironment(environment: Environment): OperatorClient {
  const token = environment.TURNPIKE_OPERATOR_TOKEN
  if (!token) {
    throw new UsageError('TURNPIKE_OPERATOR_TOKEN is not set. Set it to the operator token of the gateway.')
  }
  return createOperatorClient({ url: gatewayAddressOf(environment), token })
}

// Without the value, because an address may contain a password.
function readUrl(text: string): string {
  const url = URL.parse(text)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return `${url.origin}${withoutSlash(url)}`
  throw new UsageError(`TURNPIKE_URL takes an http or https address such as ${EXAMPLE_URL}.`)
}

function withoutSlash({ pathname }: URL): string {
  return pathname.replace(/\/+$/, '')
}

async function reach(base: string, send: () => Promise<Response>): Promise<Response> {
  try {
    return await send()
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new OperatorCallError(
      `no gateway answers at ${base}${code}; start one, or set TURNPIKE_URL to the address of one that runs`,
    )
  }
}

async function readJson(response: Response, base: string): Promise<unknown> {
  try {
    return await response.json()
  } catch {
    throw new OperatorCallError(`no gateway answers at ${base}; set TURNPIKE_URL to the address of one`)
  }
}

async function refusalOf(response: Response, base: string): Promise<OperatorCallError> {
  const { status } = response
  const error = readEnvelope(await readJson(response, base).catch(() => null))
  if (error === null) {
    return new OperatorCallError(`${base} answered ${status} without a reason; check TURNPIKE_URL`, {
      status,
      code: null,
    })
  }
  const advice = error.code === 'auth_invalid' ? ' Set TURNPIKE_OPERATOR_TOKEN to the right one.' : ''
  return new OperatorCallError(`${error.message}${advice}`, { status, code: error.code })
}

function readEnvelope(body: unknown): { code: string; message: string } | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null
  const { error } = body
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error)) return null
  return { code: String(error.code), message: String(error.message) }
}
