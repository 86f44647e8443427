import type { Answer } from '../../src/conversation/answer.ts'
import type { Conversation } from '../../src/conversation/conversation.ts'
import { fold, unfold } from '../../src/conversation/fold.ts'
import { GatewayError } from '../../src/errors/gateway-error.ts'
import type { ClientRequest, StreamTap } from '../../src/protocols/protocol.ts'
import { chat } from '../../src/sandbox/actors/chat.ts'
import { tools } from '../../src/sandbox/actors/tools.ts'
import { perform } from '../../src/sandbox/performance/performance.ts'
import { renderPrompt } from '../../src/sandbox/performance/tokens.ts'
import { SandboxError } from '../../src/sandbox/sandbox-error.ts'
import { createSeals } from '../../src/sandbox/seals.ts'
import { adaptTools, ToolNames } from '../../src/serve/families/text/translate/adapt-tools.ts'
import { droppedNames, refuseLosses, withoutProofs } from '../../src/serve/families/text/translate/losses.ts'
import { ToolRestorer } from '../../src/serve/families/text/translate/restore-tools.ts'
import { StopScanner } from '../../src/serve/families/text/translate/stop-scanner.ts'
import { ThoughtWatcher } from '../../src/serve/families/text/translate/thought-watcher.ts'
import { passThrough, TranslatingTap } from '../../src/serve/families/text/translate/translating-tap.ts'
import { editMembers } from '../../src/wire/edit-members.ts'
import { tryParseJson } from '../../src/wire/json-values.ts'
import { parseJson } from '../../src/wire/parse-json.ts'
import { PLAIN_CONVERSATION } from '../support/plain-conversation.ts'
import { replyContext, supplyContext } from '../support/translation-contexts.ts'
import { type ScaledFormat, writeRequest } from './formats.ts'
import type { Work } from './measure.ts'

/** A refusal counts as work too, as long as its error is meant for the client. */
export function orRefusal(run: () => unknown): () => unknown {
  return () => {
    try {
      return run()
    } catch (error) {
      if (error instanceof GatewayError || error instanceof SandboxError) return error
      throw error
    }
  }
}

export type WriteText = (items: number) => string

export function requestWorks(format: ScaledFormat, write: (items: number) => unknown): Work[] {
  const text: WriteText = remember((items) => JSON.stringify(write(items)))
  return [
    { name: 'read, relay and decode', prepare: (items) => take(format, text(items)) },
    { name: 'sandbox', prepare: (items) => playSandbox(format, text(items)) },
  ]
}

export function encodeWork(format: ScaledFormat, write: (items: number) => Partial<Conversation>): Work {
  return { name: 'encode', prepare: (items) => encode(format, { ...PLAIN_CONVERSATION, ...write(items) }) }
}

export function remember(write: WriteText): WriteText {
  const known = new Map<number, string>()
  return (items) => {
    const text = known.get(items) ?? write(items)
    known.set(items, text)
    return text
  }
}

export const LACKS_ALL = {
  traits: { developerRole: false, vision: false, structured: 'none' },
  takesMessageNames: false,
} as const

export const QUIRKS = {
  removed: ['user', 'metadata.name'],
  renamed: { max_tokens: 'max_completion_tokens' },
} as const

export function read({ protocol, address }: ScaledFormat, text: string): ClientRequest {
  const body = parseJson(text)
  protocol.state?.referencedIds(body)
  const own = protocol.state?.resolve(body, new Map()) ?? body
  return protocol.readRequest(own, text, address)
}

/** All that happens to a request of this format: relayed with a supplier's quirks, counted, and decoded. */
function take(format: ScaledFormat, text: string): () => unknown {
  const counting = format.protocol.tokenCounting
  return () => {
    orRefusal(() =>
      counting?.read(parseJson(text), text, format.countAddress).relayBody('upstream-1').join(''),
    )()
    return orRefusal(() => {
      const request = read(format, text)
      request.fits?.(LACKS_ALL)
      request.conversationHint()
      editMembers(request.relayBody('upstream-1').join(''), QUIRKS)
      const decoded = request.client.decode()
      refuseLosses(decoded, 'none')
      return withoutProofs(decoded)
    })()
  }
}

function encode({ protocol: { supplier } }: ScaledFormat, conversation: Conversation): () => unknown {
  const context = supplyContext({}, supplier.traits)
  return orRefusal(() => {
    const adapted = adaptTools(conversation, supplier.toolRules)
    const { body, dropped } = supplier.encodeRequest(adapted.conversation, context)
    return [JSON.stringify(body), droppedNames(dropped)]
  })
}

function playSandbox({ face, facePath, countPath }: ScaledFormat, text: string): () => unknown {
  const body: unknown = JSON.parse(text)
  const seals = createSeals('secret of the tests')
  const open = (path: string) =>
    face.open({
      path,
      query: new URLSearchParams(),
      headers: new Headers({ 'anthropic-version': '2023-06-01' }),
      body,
      callNumber: 1,
      nowMs: 0,
      seals,
      traitsOf: () => ({}),
      keepImage: () => '',
    })
  return orRefusal(() => {
    if (countPath !== null) orRefusal(() => open(countPath))()
    const scene = open(facePath)
    if (scene.type !== 'answer') return scene
    const usage = { input: renderPrompt(scene.ask).length, cachedInput: 0, writtenInput: 0 }
    for (const actor of [chat, tools]) {
      const performance = perform(scene.ask, [actor.speak(scene.ask, 0)], usage)
      JSON.stringify(scene.writeReply(performance))
      for (const _frame of scene.writeFrames(performance));
    }
    return scene
  })
}

/** A client of this format that asked for next to nothing. */
export function plainClient(format: ScaledFormat): ClientRequest {
  const body = { stream: true, ...writeRequest(format, {}) }
  return read(format, JSON.stringify(body))
}

export function steps() {
  return [
    new ToolRestorer(
      new ToolNames({ name: /./, callId: /./, hasCustomTools: false, hasNamespaces: false }, []),
    ),
    new StopScanner({ sequences: ['</never>', 'never to be said'], streamedChoices: null }),
    new ThoughtWatcher(() => {}, 'every'),
  ]
}

const PIECE_BYTES = 200

export function answerWorks(format: ScaledFormat, write: (items: number) => Answer): Work[] {
  const { protocol } = format
  const client = plainClient(format)
  const context = supplyContext({}, protocol.supplier.traits)
  const reply: WriteText = remember((items) =>
    JSON.stringify(client.client.encodeReply(write(items), replyContext())),
  )
  const stream: WriteText = remember((items) => {
    const encoder = client.client.openEncoder(replyContext())
    return unfold(write(items))
      .map((event) => encoder.push(event))
      .join('')
  })
  return [
    {
      name: 'read and decode reply',
      prepare: (items) => {
        const text = reply(items)
        return () => {
          const parsed = tryParseJson(text)
          protocol.readReply(parsed)
          protocol.patchReply?.(text, parsed)
          return protocol.supplier.decodeReply(parsed, context)
        }
      },
    },
    {
      name: 'encode reply',
      prepare: (items) => {
        const answer = write(items)
        return () => client.client.encodeReply(fold(passThrough(unfold(answer), steps())), replyContext())
      },
    },
    {
      name: 'encode stream',
      prepare: (items) => {
        const events = unfold(write(items))
        return () => {
          const encoder = client.client.openEncoder(replyContext())
          let length = 0
          for (const event of passThrough(events, steps())) length += encoder.push(event).length
          return length
        }
      },
    },
    { name: 'relay stream', prepare: (items) => feed(stream(items), () => plainClient(format).openTap()) },
    {
      name: 'translate stream',
      prepare: (items) => feed(stream(items), () => translatingTap(format, client)),
    },
  ]
}

function translatingTap({ protocol: { supplier } }: ScaledFormat, { client }: ClientRequest): TranslatingTap {
  return new TranslatingTap({
    decoder: supplier.openDecoder(supplyContext({}, supplier.traits)),
    steps: steps(),
    encoder: client.openEncoder(replyContext()),
    promptTokens: 1,
  })
}

/** In small pieces, as a network brings them. */
export function feed(text: string, open: () => Pick<StreamTap, 'push' | 'end'>): () => void {
  const bytes = new TextEncoder().encode(text)
  return () => {
    const tap = open()
    for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
      tap.push(bytes.subarray(start, start + PIECE_BYTES))
    }
    tap.end()
  }
}
