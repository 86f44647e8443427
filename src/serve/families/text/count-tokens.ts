import type { CountRequest, Protocol, TokenCounting } from '../../../protocols/protocol.ts'
import { estimatePromptTokens } from '../../../rules/limits/window.ts'
import { orderCandidates } from '../../../rules/routing/candidate.ts'
import { targetOf } from '../../../suppliers/index.ts'
import { tryParseJson } from '../../../wire/json-values.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import { joinPieces } from '../../../wire/pieced-body.ts'
import { MAX_MESSAGE_BYTES, readText } from '../../../wire/read-text.ts'
import { authenticateVisitor } from '../../admission/authenticate.ts'
import { availableModel } from '../../admission/find-model.ts'
import { guardLookUp, refuseFlood, serveLimited } from '../../admission/own-limits.ts'
import { SupplierPatience } from '../../delivery/ask.ts'
import type { Gateway } from '../../gateway.ts'
import { jsonReply } from '../../json-reply.ts'
import type { Exchange, Reply } from '../../ports/exchange.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import { fitBetas } from './lanes/fit-betas.ts'
import { ExchangeAddress } from './text-family.ts'

export interface CountingParts {
  readonly protocol: Protocol
  readonly counting: TokenCounting
  readonly gateway: Gateway
}

// Agents count often and wait for the result; an estimate now is worth more than an exact count later.
const PATIENCE_MS = 3_000

/** Counts a prompt without generating anything. Neither request nor token windows are spent. */
export async function countTokens(exchange: Exchange, parts: CountingParts): Promise<Reply> {
  const { counting, gateway } = parts
  const caller = await authenticateVisitor(exchange, gateway)
  refuseFlood(caller, gateway)
  exchange.bodyOwner = caller.account.id
  return serveLimited({ caller, gateway, exchange }, async () => {
    await guardLookUp(caller, gateway.admissions)
    const text = await exchange.readText()
    const body = parseJson(text)
    if (text.length > LARGE_BODY_CHARACTERS) await yieldLoop()
    const request = counting.read(body, text, new ExchangeAddress(exchange))
    const { model, routes } = availableModel(caller, request.facts.model)
    const working = gateway.router.working(routes, model.id)
    const counted = await askSuppliers(request, exchange, { ...parts, routes: working })
    return jsonReply(request.encode(counted ?? estimatePromptTokens(request.facts)))
  })
}

type Routes = ReturnType<typeof availableModel>['routes']

/** The count of the first supplier; null when no supplier counts tokens or the call fails. */
async function askSuppliers(
  request: CountRequest,
  exchange: Exchange,
  { protocol, counting, gateway, routes }: CountingParts & { readonly routes: Routes },
): Promise<number | null> {
  if (!counting.asksSupplier) return null
  const speaking = routes.filter((route) => route.formats.includes(protocol.name))
  const [candidate] = orderCandidates(speaking, gateway.random)
  if (candidate === undefined) return null
  const { supplier, route } = candidate.route
  const patience = new SupplierPatience(exchange, PATIENCE_MS)
  try {
    const sender = { headers: exchange.headers, protocol, supplier }
    const { body, betas } = fitBetas(joinPieces(request.relayBody(route.upstreamModel)), sender)
    const query = {
      format: protocol.name,
      baseUrl: supplier.baseUrl,
      secret: candidate.credential.secret,
      options: supplier.options,
      upstreamModel: route.upstreamModel,
      stream: false,
      body,
      clientHeaders: exchange.headers,
      betas,
      operation: 'count-tokens',
    } as const
    const target = await targetOf(supplier.type, query, gateway.callTools)
    const connectMs = supplier.timeouts.connectMs ?? gateway.timeouts.connectMs
    const { id: credentialId } = candidate.credential
    const response = await gateway.callSupplier({ body, ...target, connectMs, patience, credentialId })
    if (!response.ok) {
      await response.body?.cancel()
      return null
    }
    return counting.decode(tryParseJson((await readText(response, MAX_MESSAGE_BYTES)) ?? ''))
  } catch {
    return null
  } finally {
    patience.rest()
  }
}
