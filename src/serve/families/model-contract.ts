import Type from 'typebox'
import type { FormatContract } from '../../protocols/protocol.ts'
import type { Contract, Parameter } from '../../vocabulary/runtime/contract.ts'

const STRICT: Parameter = {
  name: 'x-gateway-strict',
  in: 'header',
  description:
    '`true`: refuse the request rather than leave out what the supplier cannot express, or shorten its answer to what can be paid.',
  schema: Type.Enum(['true', 'false']),
}
const ROUTE_HEADERS = [
  'x-gateway-route',
  'x-gateway-attempts',
  'x-gateway-dropped-params',
  'x-gateway-capped-params',
]

/** Headers of answers to requests that count in the token window. */
export const TOKEN_HEADERS: readonly string[] = [
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
]

/** The contract of a format, plus what the gateway adds to every answer of a model. */
export function modelContract(contract: FormatContract, headers: readonly string[] = []): Contract {
  return {
    ...contract,
    access: 'key',
    parameters: [...(contract.parameters ?? []), STRICT],
    answer: { ...contract.answer, headers: [...headers, ...ROUTE_HEADERS] },
  }
}
