import type { LocalOperations, OperationParts } from '../parts.ts'

/** Flushes what this node has counted first, so that every refusal that it answered is included. */
export function refusalOperations({ storage, flushRefusals = async () => {} }: OperationParts) {
  return {
    listRefusals: async (filter, page) => {
      await flushRefusals()
      return storage.listRefusals(filter, page)
    },
    countRefusals: async (question, page) => {
      await flushRefusals()
      return storage.countRefusals(question, page)
    },
    totalRefusals: async (question, page) => {
      await flushRefusals()
      return storage.totalRefusals(question, page)
    },
  } satisfies Partial<LocalOperations>
}
