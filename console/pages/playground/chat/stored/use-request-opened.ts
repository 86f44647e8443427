import { useEffect, useState } from 'react'
import { CHAT_FORMATS } from '../../../../parts/wire/question.ts'
import { type ReadQuestion, readQuestion } from '../../../../parts/wire/read-question.ts'
import { type StoredRequest, useStoredRequest } from '../../../../parts/wire/stored-request.ts'

export interface RequestOpened {
  /** Why the request that the address names cannot be shown. */
  readonly error: Error | null
  /** What of it the playground cannot send. */
  readonly lost: readonly string[]
}

/** Opens the stored request that the address names, once. A chat that is named too has come from it, and stays. */
export function useRequestOpened(
  account: string,
  isWanted: boolean,
  open: (question: ReadQuestion['question']) => void,
): RequestOpened {
  const { request, error } = useStoredRequest(account)
  const [opened, setOpened] = useState<{ readonly id: string; readonly lost: readonly string[] } | null>(null)
  useEffect(() => {
    if (request === null || !isWanted || opened?.id === request.id) return
    const read = readStored(request)
    setOpened({ id: request.id, lost: read?.lost ?? [] })
    if (read !== null) open(read.question)
  })
  const isOther = request !== null && readableFormat(request) === undefined
  return { error: isOther ? new Error(NO_CHAT) : error, lost: opened?.lost ?? [] }
}

const NO_CHAT = 'This request is not a chat, so it cannot be opened here.'

function readableFormat({ format }: StoredRequest) {
  return CHAT_FORMATS.find((known) => known === format)
}

function readStored(request: StoredRequest): ReadQuestion | null {
  const format = readableFormat(request)
  return format === undefined ? null : readQuestion(format, request.model, request.body)
}
