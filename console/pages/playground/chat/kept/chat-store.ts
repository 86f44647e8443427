import type { ChatSummary, StoredChat } from './stored-chat.ts'

/** Chats in this browser. They never leave it. */
export interface ChatStore {
  list(owner: string): Promise<readonly ChatSummary[]>
  find(id: string): Promise<StoredChat | null>
  save(summary: ChatSummary, chat: StoredChat): Promise<void>
  rename(id: string, title: string): Promise<void>
  remove(id: string): Promise<void>
  /** Removes all chats of an owner. */
  clear(owner: string): Promise<void>
}

const DATABASE = 'turnpike-playground'
const SUMMARIES = 'summaries'
// Apart, because a list should not read every image of every chat.
const CONTENTS = 'contents'

export async function openChatStore(): Promise<ChatStore> {
  const database = await openDatabase()
  const begin = (mode: IDBTransactionMode) => {
    const transaction = database.transaction([SUMMARIES, CONTENTS], mode)
    return {
      summaries: transaction.objectStore(SUMMARIES),
      contents: transaction.objectStore(CONTENTS),
      done: () => whenDone(transaction),
    }
  }
  const list = async (owner: string) => {
    const { summaries } = begin('readonly')
    const all: ChatSummary[] = await whenRead(summaries.index('owner').getAll(owner))
    return all.toSorted((one, other) => other.changedAtMs - one.changedAtMs)
  }
  return {
    list,
    find: async (id) =>
      ((await whenRead(begin('readonly').contents.get(id))) as StoredChat | undefined) ?? null,
    save: (summary, chat) => {
      const { summaries, contents, done } = begin('readwrite')
      summaries.put(summary)
      contents.put(chat)
      return done()
    },
    rename: async (id, title) => {
      const { summaries, done } = begin('readwrite')
      const summary: ChatSummary | undefined = await whenRead(summaries.get(id))
      if (summary !== undefined) summaries.put({ ...summary, title })
      return done()
    },
    remove: (id) => {
      const { summaries, contents, done } = begin('readwrite')
      summaries.delete(id)
      contents.delete(id)
      return done()
    },
    clear: async (owner) => {
      const ids = (await list(owner)).map(({ id }) => id)
      const { summaries, contents, done } = begin('readwrite')
      for (const id of ids) {
        summaries.delete(id)
        contents.delete(id)
      }
      return done()
    },
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1)
  request.onupgradeneeded = () => {
    const database = request.result
    database.createObjectStore(SUMMARIES, { keyPath: 'id' }).createIndex('owner', 'owner')
    database.createObjectStore(CONTENTS, { keyPath: 'id' })
  }
  return whenRead(request)
}

function whenRead<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

function whenDone(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
    transaction.onerror = () => reject(transaction.error)
  })
}
