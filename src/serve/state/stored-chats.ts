import { GatewayError } from '../../errors/gateway-error.ts'
import { storedChats } from '../../protocols/chat-completion/index.ts'
import type { StoredRequest } from '../../protocols/protocol.ts'
import { withTimeout } from '../../vocabulary/clock.ts'
import type { KeepReply } from '../admission/prepared-request.ts'
import type { Gateway } from '../gateway.ts'
import { jsonReply } from '../json-reply.ts'
import type { Exchange, Reply } from '../ports/exchange.ts'
import type { ChatMetadata, ShownChat } from '../ports/state/chat-store.ts'
import { listOf, pageOfItems, readPage, unknownAfter } from './page-of-items.ts'
import { refuseTooMuch, SEALED_BYTES_PER_BYTE } from './reply-state.ts'
import { KEPT_MS, type Owner, PLAIN_ID, withBody, withOwner } from './stored-object.ts'

const PATIENCE_MS = 3_000

export interface ChatParts extends Owner {
  readonly requestId: string
  /** The approximate size of the request. */
  readonly bodyBytes: number
}

/** Stores a chat completion. One that cannot be stored is still a good answer. */
export function chatKeeper(storing: StoredRequest, parts: ChatParts): KeepReply {
  const { gateway, requestId, bodyBytes } = parts
  refuseTooMuch(bodyBytes * SEALED_BYTES_PER_BYTE, gateway)
  return async (reply) => {
    try {
      await withTimeout(
        PATIENCE_MS,
        (onProgress) => keep(storing, reply, { ...parts, onProgress }),
        () => {
          throw new Error('The database does not answer.')
        },
      )
    } catch (problem) {
      gateway.log.trouble('a chat completion could not be kept', problem, requestId)
    }
  }
}

async function keep(
  storing: StoredRequest,
  reply: unknown,
  { caller, gateway, requestId, onProgress }: ChatParts & { onProgress(): void },
): Promise<void> {
  const completion = storing.completionOf(reply, requestId)
  if (completion === null || !PLAIN_ID.test(completion.id)) return
  const nowMs = gateway.clock.nowMs()
  await gateway.chats.saveChat(
    {
      id: completion.id,
      accountId: caller.account.id,
      createdAtMs: nowMs,
      expiresAtMs: nowMs + KEPT_MS,
      inputItems: storing.messages,
      reply: completion.object,
      model: storing.model,
      metadata: labelled(storing.metadata, { caller, gateway }),
    },
    onProgress,
  )
}

function labelled(pairs: ChatMetadata['pairs'], owner: Owner): ChatMetadata {
  return { pairs, labels: Object.entries(pairs).map((pair) => labelOf(pair, owner)) }
}

/** Completions are listed by their metadata, which is sealed. Equal pairs of an account have equal labels. */
function labelOf([name, value]: readonly [string, string], { caller, gateway }: Owner): string {
  return gateway.secrets.fingerprint(JSON.stringify(['chat metadata', caller.account.id, name, value]))
}

export function showChat(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => jsonReply(shown(await find(id, owner))))
}

export function listChats(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (_id, owner) => {
    const { query } = exchange
    const page = readPage(query, 'asc')
    if (page.after !== null && !PLAIN_ID.test(page.after)) throw unknownAfter()
    const found = await gateway.chats.listChats(owner.caller.account.id, {
      ...page,
      nowMs: gateway.clock.nowMs(),
      model: query.get('model'),
      labels: readFilter(query).map((pair) => labelOf(pair, owner)),
    })
    if (found === null) throw unknownAfter()
    return jsonReply(listOf(found.chats.map(shown), found.hasMore))
  })
}

const FILTER = /^metadata\[(.*)\]$/
const MAX_FILTERS = 16

/** `metadata[name]=value`, as often as a completion may have pairs. */
function readFilter(query: URLSearchParams): (readonly [string, string])[] {
  const pairs = [...query].flatMap(([key, value]): (readonly [string, string])[] => {
    const name = FILTER.exec(key)?.[1]
    return name === undefined ? [] : [[name, value]]
  })
  if (pairs.length <= MAX_FILTERS) return pairs
  const message = `metadata may have at most ${MAX_FILTERS} pairs.`
  throw new GatewayError('invalid_request', message, { param: 'metadata' })
}

export function updateChat(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withBody(exchange, gateway, async (body, owner) => {
    const id = exchange.params.id ?? ''
    const metadata = labelled(storedChats.readChange(body), owner)
    const chat = await find(id, owner)
    if (!(await gateway.chats.changeChatMetadata(owner.caller.account.id, id, metadata))) throw notStored(id)
    return jsonReply(shown({ ...chat, metadata: metadata.pairs }))
  })
}

export function deleteChat(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, owner) => {
    await find(id, owner)
    if (!(await gateway.chats.deleteChat(owner.caller.account.id, id))) throw notStored(id)
    return jsonReply(storedChats.encodeDeleted(id))
  })
}

export function listChatMessages(exchange: Exchange, gateway: Gateway): Promise<Reply> {
  return withOwner(exchange, gateway, async (id, { caller }) => {
    if (!PLAIN_ID.test(id)) throw notStored(id)
    const messages = await gateway.chats.findChatMessages(caller.account.id, id, gateway.clock.nowMs())
    if (messages === null) throw notStored(id)
    const listed = storedChats.listMessages(id, messages)
    return jsonReply(pageOfItems(listed, exchange.query, { defaultOrder: 'asc' }))
  })
}

async function find(id: string, { caller, gateway }: Owner): Promise<ShownChat> {
  const found = PLAIN_ID.test(id)
    ? await gateway.chats.findChat(caller.account.id, id, gateway.clock.nowMs())
    : null
  if (found === null) throw notStored(id)
  return found
}

function shown({ reply, metadata }: ShownChat) {
  return storedChats.encode(reply, metadata)
}

function notStored(id: string): GatewayError {
  const message = `There is no stored chat completion ${JSON.stringify(id.slice(0, 100))}.`
  return new GatewayError('not_found', message)
}
