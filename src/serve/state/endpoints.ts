import { STORED_CHAT_CONTRACTS } from '../../protocols/chat-completion/index.ts'
import { CONVERSATION_CONTRACTS } from '../../protocols/responses/index.ts'
import type { Contract } from '../../vocabulary/runtime/contract.ts'
import type { Gateway } from '../gateway.ts'
import type { Exchange, HttpMethod, Reply } from '../ports/exchange.ts'
import {
  addConversationItems,
  createConversation,
  deleteConversation,
  deleteConversationItem,
  listConversationItems,
  showConversation,
  showConversationItem,
  updateConversation,
} from './conversations.ts'
import { deleteChat, listChatMessages, listChats, showChat, updateChat } from './stored-chats.ts'

type Story = (exchange: Exchange, gateway: Gateway) => Promise<Reply>

const CONVERSATIONS = '/v1/conversations'
const CONVERSATION = `${CONVERSATIONS}/:id`
const ITEMS = `${CONVERSATION}/items`
const ITEM = `${ITEMS}/:item`
const CHATS = '/v1/chat/completions'
const CHAT = `${CHATS}/:id`

/** Operations on stored conversations and chat completions. */
export const STATE_STORIES: readonly (readonly [HttpMethod, string, Story, Contract])[] = [
  ['POST', CONVERSATIONS, createConversation, CONVERSATION_CONTRACTS.create],
  ['GET', CONVERSATION, showConversation, CONVERSATION_CONTRACTS.show],
  ['POST', CONVERSATION, updateConversation, CONVERSATION_CONTRACTS.update],
  ['DELETE', CONVERSATION, deleteConversation, CONVERSATION_CONTRACTS.delete],
  ['POST', ITEMS, addConversationItems, CONVERSATION_CONTRACTS.addItems],
  ['GET', ITEMS, listConversationItems, CONVERSATION_CONTRACTS.listItems],
  ['GET', ITEM, showConversationItem, CONVERSATION_CONTRACTS.showItem],
  ['DELETE', ITEM, deleteConversationItem, CONVERSATION_CONTRACTS.deleteItem],
  ['GET', CHATS, listChats, STORED_CHAT_CONTRACTS.list],
  ['GET', CHAT, showChat, STORED_CHAT_CONTRACTS.show],
  ['POST', CHAT, updateChat, STORED_CHAT_CONTRACTS.update],
  ['DELETE', CHAT, deleteChat, STORED_CHAT_CONTRACTS.delete],
  ['GET', `${CHAT}/messages`, listChatMessages, STORED_CHAT_CONTRACTS.listMessages],
]
