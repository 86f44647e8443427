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

type Story = (exchange: Exchange, gateway: Gateway) => Promise<Reply>

const CONVERSATIONS = '/v1/conversations'
const CONVERSATION = `${CONVERSATIONS}/:id`
const ITEMS = `${CONVERSATION}/items`
const ITEM = `${ITEMS}/:item`

/** Operations on stored conversations. */
export const STATE_STORIES: readonly (readonly [HttpMethod, string, Story, Contract])[] = [
  ['POST', CONVERSATIONS, createConversation, CONVERSATION_CONTRACTS.create],
  ['GET', CONVERSATION, showConversation, CONVERSATION_CONTRACTS.show],
  ['POST', CONVERSATION, updateConversation, CONVERSATION_CONTRACTS.update],
  ['DELETE', CONVERSATION, deleteConversation, CONVERSATION_CONTRACTS.delete],
  ['POST', ITEMS, addConversationItems, CONVERSATION_CONTRACTS.addItems],
  ['GET', ITEMS, listConversationItems, CONVERSATION_CONTRACTS.listItems],
  ['GET', ITEM, showConversationItem, CONVERSATION_CONTRACTS.showItem],
  ['DELETE', ITEM, deleteConversationItem, CONVERSATION_CONTRACTS.deleteItem],
]
