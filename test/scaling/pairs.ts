import type { Answer } from '../../src/conversation/answer.ts'
import { fold, unfold } from '../../src/conversation/fold.ts'
import { adaptTools } from '../../src/serve/families/text/translate/adapt-tools.ts'
import { droppedNames, refuseLosses } from '../../src/serve/families/text/translate/losses.ts'
import { passThrough, TranslatingTap } from '../../src/serve/families/text/translate/translating-tap.ts'
import { editMembers } from '../../src/wire/edit-members.ts'
import { tryParseJson } from '../../src/wire/json-values.ts'
import { replyContext, supplyContext } from '../support/translation-contexts.ts'
import type { ScaledFormat } from './formats.ts'
import type { Work } from './measure.ts'
import { feed, orRefusal, plainClient, QUIRKS, read, remember, steps, type WriteText } from './works.ts'

/** A client of one format whose requests go to a supplier of another. */
export interface Pair {
  readonly client: ScaledFormat
  readonly supplier: ScaledFormat
}

export function pairsOf(formats: readonly ScaledFormat[]): Pair[] {
  return formats.flatMap((client) =>
    formats.filter((supplier) => supplier !== client).map((supplier) => ({ client, supplier })),
  )
}

/** What the lists of a request become between two formats: decoded by one, fitted to the other and encoded by it. */
export function translateWork({ client, supplier }: Pair, write: (items: number) => unknown): Work {
  const { protocol } = supplier
  const context = supplyContext({}, protocol.supplier.traits)
  return {
    name: 'translate request',
    prepare: (items) => {
      const text = JSON.stringify(write(items))
      return orRefusal(() => {
        const request = read(client, text)
        const decoded = request.client.decode()
        refuseLosses(decoded, protocol.name)
        const adapted = adaptTools(decoded, protocol.supplier.toolRules)
        const { body, dropped } = protocol.supplier.encodeRequest(adapted.conversation, context)
        return [editMembers(JSON.stringify(body), QUIRKS), droppedNames(dropped)]
      })
    },
  }
}

/** What the lists of an answer become on the way back, whole and as a stream. */
export function retellWorks({ client, supplier }: Pair, write: (items: number) => Answer): Work[] {
  const own = plainClient(supplier)
  const asking = plainClient(client)
  const context = supplyContext({}, supplier.protocol.supplier.traits)
  const reply: WriteText = remember((items) =>
    JSON.stringify(own.client.encodeReply(write(items), replyContext())),
  )
  const stream: WriteText = remember((items) => {
    const encoder = own.client.openEncoder(replyContext())
    return unfold(write(items))
      .map((event) => encoder.push(event))
      .join('')
  })
  return [
    {
      name: 'translate reply',
      prepare: (items) => {
        const text = reply(items)
        return () => {
          const answer = supplier.protocol.supplier.decodeReply(tryParseJson(text), context)
          if (answer === null) throw new Error('no reply of its format')
          const adapted = fold(passThrough(unfold(answer), steps()))
          return JSON.stringify(asking.client.encodeReply(adapted, replyContext()))
        }
      },
    },
    {
      name: 'translate stream',
      prepare: (items) =>
        feed(
          stream(items),
          () =>
            new TranslatingTap({
              decoder: supplier.protocol.supplier.openDecoder(context),
              steps: steps(),
              encoder: asking.client.openEncoder(replyContext()),
              promptTokens: 1,
            }),
        ),
    },
  ]
}
