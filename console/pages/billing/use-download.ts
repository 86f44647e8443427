import { useEffect, useRef, useState } from 'react'
import { ApiError, readApiError } from '../../api/api-error.ts'

export type Download =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly bytes: number; readonly lines: number }
  | { readonly phase: 'done'; readonly bytes: number; readonly lines: number; readonly fileName: string }
  | { readonly phase: 'cancelled'; readonly bytes: number }
  | { readonly phase: 'failed'; readonly error: unknown }

export interface Downloader {
  readonly download: Download
  start(address: string, fileName: string): void
  cancel(): void
}

// Parts of this size are handed to the browser, which keeps them on disk rather than in memory.
const PART_BYTES = 4_000_000
const SHOWN_EVERY_MS = 150
const NEW_LINE = 10

/** Fetches a file of unknown length while showing how much has come, and hands it over when it is whole. */
export function useDownload(): Downloader {
  const [download, setDownload] = useState<Download>({ phase: 'idle' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  return {
    download,
    start: (address, fileName) => {
      const controller = new AbortController()
      running.current = controller
      let come = { bytes: 0, lines: 0 }
      const note = (progress: Progress) => {
        come = progress
        setDownload({ phase: 'running', ...progress })
      }
      note(come)
      fetchFile(address, controller.signal, note)
        .then((file) => {
          save(file, fileName)
          setDownload({ phase: 'done', ...come, fileName })
        })
        .catch((error: unknown) =>
          setDownload(
            controller.signal.aborted
              ? { phase: 'cancelled', bytes: come.bytes }
              : { phase: 'failed', error },
          ),
        )
    },
    cancel: () => running.current?.abort(),
  }
}

interface Progress {
  readonly bytes: number
  readonly lines: number
}

async function fetchFile(
  address: string,
  signal: AbortSignal,
  note: (progress: Progress) => void,
): Promise<Blob> {
  const response = await fetch(address, { signal, credentials: 'same-origin' })
  if (!response.ok) throw await readApiError(response)
  if (response.body === null) throw new ApiError('The gateway gave an empty answer.')
  const parts: Blob[] = []
  let loose: Uint8Array<ArrayBuffer>[] = []
  let looseBytes = 0
  let bytes = 0
  let lines = 0
  let shownAtMs = 0
  const reader = response.body.getReader()
  while (true) {
    const { done, value } = await reader.read()
    if (done) break
    loose.push(value)
    looseBytes += value.length
    bytes += value.length
    for (const byte of value) if (byte === NEW_LINE) lines += 1
    if (looseBytes >= PART_BYTES) {
      parts.push(new Blob(loose))
      loose = []
      looseBytes = 0
    }
    if (performance.now() - shownAtMs >= SHOWN_EVERY_MS) {
      shownAtMs = performance.now()
      note({ bytes, lines })
    }
  }
  note({ bytes, lines })
  return new Blob([...parts, ...loose])
}

const KEPT_MS = 60_000

function save(file: Blob, fileName: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  // Not at once: some browsers begin to read only later.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}
