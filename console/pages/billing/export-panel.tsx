import {
  Alert,
  Button,
  Group,
  NativeSelect,
  Progress,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
} from '@mantine/core'
import { IconCheck, IconDownload, IconPlayerStop } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { ApiError, readApiError } from '../../api/api-error.ts'
import { accountPath, withQuery } from '../../api/client.ts'
import { useUrlState } from '../../app/url-state.ts'
import { TimeField } from '../../parts/forms/time-field.tsx'
import { ErrorNotice } from '../../parts/layout/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { formatBytes, formatNumber } from '../../parts/text/format.ts'

const WHAT = [
  { value: 'settlements', label: 'Requests, with usage and price' },
  { value: 'ledger', label: 'Ledger, every change to the balance' },
]

const DEFAULTS = { export: 'settlements', format: 'csv', from: '', to: '' }

export function ExportPanel({ account }: { readonly account: string }) {
  const [state, setState] = useUrlState(DEFAULTS)
  const { download, start, cancel } = useDownload()
  const what = state.export === 'ledger' ? 'ledger' : 'settlements'
  const format = state.format === 'jsonl' ? 'jsonl' : 'csv'
  const isBackwards = state.from !== '' && state.to !== '' && state.from >= state.to
  const isRunning = download.phase === 'running'
  const run = () => {
    const { from, to } = state
    start(withQuery(accountPath(account, `/exports/${what}`), { from, to, format }), fileNameOf(what, state))
  }
  return (
    <Panel
      title="Exports"
      description="For spreadsheets and accounting, in any size. Amounts are exact, and times are in UTC."
    >
      <Stack maw={620}>
        <NativeSelect
          label="Data"
          data={WHAT}
          value={what}
          onChange={(event) => setState({ export: event.currentTarget.value })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TimeField
            label="From (UTC)"
            isUtc
            description="Leave empty to start at the first entry."
            value={state.from}
            onChange={(from) => setState({ from })}
          />
          <TimeField
            label="Before (UTC)"
            isUtc
            description="Leave empty to end now."
            value={state.to}
            onChange={(to) => setState({ to })}
            error={isBackwards ? 'Enter a time after the start' : null}
          />
        </SimpleGrid>
        <SegmentedControl
          aria-label="File format"
          value={format}
          onChange={(value) => setState({ format: value })}
          data={[
            { value: 'csv', label: 'CSV' },
            { value: 'jsonl', label: 'JSON Lines' },
          ]}
        />
        <Group>
          <Button
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={run}
            disabled={isRunning || isBackwards}
          >
            Export
          </Button>
          {isRunning && (
            <Button variant="default" leftSection={<IconPlayerStop size={16} aria-hidden />} onClick={cancel}>
              Cancel
            </Button>
          )}
        </Group>
        <DownloadState download={download} hasHead={format === 'csv'} />
      </Stack>
    </Panel>
  )
}

interface DownloadStateProps {
  readonly download: Download
  /** Whether the first line is a header. */
  readonly hasHead: boolean
}

function DownloadState({ download, hasHead }: DownloadStateProps) {
  switch (download.phase) {
    case 'idle':
      return null
    case 'running':
      return (
        <Stack gap={6} role="status">
          <Progress value={100} animated aria-label="Export in progress" />
          <Text size="sm" c="dimmed" className="numeral">
            {formatBytes(download.bytes)} · {formatNumber(download.lines)} lines so far
          </Text>
        </Stack>
      )
    case 'done':
      return (
        <Alert color="teal" icon={<IconCheck size={18} aria-hidden />} title="Exported" role="status">
          {download.fileName}: {formatNumber(Math.max(download.lines - (hasHead ? 1 : 0), 0))} entries,{' '}
          {formatBytes(download.bytes)}. Your browser has saved it.
        </Alert>
      )
    case 'cancelled':
      return (
        <Text size="sm" c="dimmed" role="status">
          Cancelled after {formatBytes(download.bytes)}. Nothing was saved.
        </Text>
      )
    case 'failed':
      return <ErrorNotice error={download.error} />
  }
}

function fileNameOf(what: string, { from, to, format }: typeof DEFAULTS): string {
  const span = [from, to].filter((at) => at !== '').map((at) => at.slice(0, 10))
  return `${[what, ...span].join('-')}.${format === 'jsonl' ? 'jsonl' : 'csv'}`
}

type Download =
  | { readonly phase: 'idle' }
  | { readonly phase: 'running'; readonly bytes: number; readonly lines: number }
  | { readonly phase: 'done'; readonly bytes: number; readonly lines: number; readonly fileName: string }
  | { readonly phase: 'cancelled'; readonly bytes: number }
  | { readonly phase: 'failed'; readonly error: unknown }

interface Downloader {
  readonly download: Download
  start(address: string, fileName: string): void
  cancel(): void
}

// The browser keeps blobs of this size on disk rather than in memory.
const PART_BYTES = 4_000_000
const SHOWN_EVERY_MS = 150
const NEW_LINE = 10

/** Fetches a file of unknown length, reports progress, and saves it when complete. */
function useDownload(): Downloader {
  const [download, setDownload] = useState<Download>({ phase: 'idle' })
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  return {
    download,
    start: (address, fileName) => {
      const controller = new AbortController()
      running.current = controller
      let come = { bytes: 0, lines: 0 }
      const note = (progress: Received) => {
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

interface Received {
  readonly bytes: number
  readonly lines: number
}

async function fetchFile(
  address: string,
  signal: AbortSignal,
  note: (progress: Received) => void,
): Promise<Blob> {
  const response = await fetch(address, { signal, credentials: 'same-origin' })
  if (!response.ok) throw await readApiError(response)
  if (response.body === null) throw new ApiError('The gateway returned an empty response.')
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
  // Delayed: some browsers start reading later.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}
