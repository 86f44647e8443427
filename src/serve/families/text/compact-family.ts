import type { CompactionRules } from '../../../protocols/protocol.ts'
import type { MaybePromise } from '../../../vocabulary/runtime/maybe-promise.ts'
import { parseJson } from '../../../wire/parse-json.ts'
import type { Caller, IncomingRequest } from '../../admission/prepared-request.ts'
import type { Exchange } from '../../ports/exchange.ts'
import { continueFrom, resolveReferences } from '../../state/reply-state.ts'
import { LARGE_BODY_CHARACTERS, yieldLoop } from '../../yield-loop.ts'
import type { Family } from '../family.ts'
import { readCompaction, sealerFor } from './compact-read.ts'
import type { PreparedText, ReadText } from './prepared-text.ts'
import type { TextFamily } from './text-family.ts'

/** The endpoint that only compacts. Its requests are limited, routed, settled and billed like those for an answer. */
export class CompactFamily implements Family<string, ReadText, PreparedText> {
  readonly plan: TextFamily['plan']
  readonly #text: TextFamily
  readonly #rules: CompactionRules

  constructor(text: TextFamily, rules: CompactionRules) {
    this.#text = text
    this.#rules = rules
    this.plan = text.plan
  }

  receive(exchange: Exchange): MaybePromise<string> {
    return this.#text.receive(exchange)
  }

  async read(text: string, caller: Caller, { exchange, gateway }: IncomingRequest): Promise<ReadText> {
    const rules = this.#text.protocol.state
    if (rules === undefined)
      throw new Error('only formats with stored replies have an endpoint that compacts')
    const body = parseJson(text)
    const bodies = gateway.bodies.begin(caller.account.id, text)
    if (text.length > LARGE_BODY_CHARACTERS) await yieldLoop()
    const state = { rules, caller, gateway, requestId: exchange.requestId }
    const asked = this.#rules.check(await resolveReferences(body, state))
    const { body: whole } = await continueFrom(asked, text.length, state)
    return readCompaction(whole, sealerFor(state), { rules: this.#rules, state, bodies })
  }

  modelOf(read: ReadText): string {
    return this.#text.modelOf(read)
  }

  prepare(read: ReadText, caller: Caller, exchange: Exchange): PreparedText {
    return this.#text.prepare(read, caller, exchange)
  }
}
