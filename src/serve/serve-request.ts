import { isPending } from '../vocabulary/runtime/maybe-promise.ts'
import { type Admission, NOTHING_DELIVERED } from './admission/admission.ts'
import { admit, retryOnConfigChange } from './admission/admit.ts'
import { authenticate, checkBeforeBody } from './admission/authenticate.ts'
import { addLimitHeaders, refuseFlood, withLimits } from './admission/own-limits.ts'
import type { PreparedRequest } from './admission/prepared-request.ts'
import { deliver } from './delivery/deliver.ts'
import type { Family } from './families/family.ts'
import type { Gateway } from './gateway.ts'
import type { Exchange, Reply } from './ports/exchange.ts'

/**
 * Serves one request to a model, from socket to settlement, whatever its family.
 *
 * Each step needs what the previous one returned, so the compiler keeps them in order. A step refuses by throwing a
 * GatewayError; only render-error.ts turns one into bytes.
 */
export async function serveRequest<Body, Read, Prepared extends PreparedRequest>(
  exchange: Exchange,
  gateway: Gateway,
  family: Family<Body, Read, Prepared>,
): Promise<Reply> {
  const incoming = { exchange, gateway }
  const authenticated = authenticate(incoming)
  const checked = checkBeforeBody(isPending(authenticated) ? await authenticated : authenticated, incoming)
  const caller = isPending(checked) ? await checked : checked
  let body: Body | undefined
  let read: Read | undefined
  let admission: Admission<Prepared> | null = null
  try {
    const received = family.receive(exchange)
    body = isPending(received) ? await received : received
    // Many bodies may arrive at the same time: refusals since then count before this one is parsed.
    if (isPending(received)) refuseFlood(caller, gateway)
    const reading = family.read(body, caller, incoming)
    const known = isPending(reading) ? await reading : reading
    read = known
    const admitted = retryOnConfigChange(caller, incoming, (newest) =>
      admit(family.prepare(known, newest, exchange), gateway),
    )
    admission = isPending(admitted) ? await admitted : admitted
    const { background } = admission.prepared
    const reply =
      background === undefined ? deliver(admission, gateway, family) : later(admission, gateway, family)
    return addLimitHeaders(await reply, admission.windows, gateway)
  } catch (thrown) {
    exchange.hasSettlement = admission !== null
    if (read !== undefined) exchange.refusedModel = family.modelOf(read)
    throw await withLimits(thrown, { caller, gateway, exchange, windows: admission?.windows ?? null })
  } finally {
    if (body !== undefined && family.dispose !== undefined) await family.dispose(body)
  }
}

/** Answers at once and delivers in the background. */
async function later<Prepared extends PreparedRequest>(
  admission: Admission<Prepared>,
  gateway: Gateway,
  family: Pick<Family<unknown, unknown, Prepared>, 'plan'>,
): Promise<Reply> {
  try {
    const { background } = admission.prepared
    if (background === undefined) throw new Error('this request has no background')
    return await background.start(admission.record, () => deliver(admission, gateway, family))
  } catch (error) {
    await admission.settle({ outcome: 'refused', ...NOTHING_DELIVERED, served: null })
    throw error
  }
}
