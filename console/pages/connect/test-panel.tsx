import { Button, Group, Loader, Stack, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleDashed, IconCircleX, IconPlugConnected } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { playgroundKey } from '../../api/playground.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { describeFormat } from '../../parts/models/supply-words.ts'
import type { ChatFormat } from '../../parts/wire/question.ts'
import { STEPS, type Step, testConnection } from './test-connection.ts'
import type { Tool } from './tools.ts'

export interface TestPanelProps {
  readonly account: string
  readonly tool: Tool
  readonly format: ChatFormat
  readonly model: string
  /** Empty if none was pasted. */
  readonly secret: string
}

export function TestPanel({ account, tool, format, model, secret }: TestPanelProps) {
  const queryClient = useQueryClient()
  const [steps, setSteps] = useState<readonly Step[] | null>(null)
  const running = useRef<AbortController | null>(null)
  useEffect(() => () => running.current?.abort(), [])
  const isRunning = steps?.some(({ state }) => state === 'running') ?? false
  const isGood = steps?.every(({ state }) => state === 'good') ?? false
  const test = () => {
    const controller = new AbortController()
    running.current = controller
    void testConnection({
      format,
      model,
      signal: controller.signal,
      onChange: (changed) => !controller.signal.aborted && setSteps(changed),
      findKey: async () =>
        secret === ''
          ? { secret: await playgroundKey(queryClient, account), result: 'Your playground key.' }
          : { secret, result: 'The key you pasted.' },
    })
  }
  return (
    <Panel
      title="Test connection"
      description={`Sends a short streamed request from this browser, as ${tool.label} would (${describeFormat(format)}). It costs a few tokens.`}
      actions={
        <Button leftSection={<IconPlugConnected size={16} aria-hidden />} loading={isRunning} onClick={test}>
          Test connection
        </Button>
      }
    >
      <Stack gap="sm" component="ol" className="test-steps" aria-live="polite">
        {(steps ?? STEPS).map((step) => (
          <StepRow key={step.name} step={step} />
        ))}
      </Stack>
      {isGood && (
        <Text size="sm" mt="md" fw={550} className="test-good">
          The connection works.
        </Text>
      )}
    </Panel>
  )
}

const WORDS: Readonly<Record<Step['state'], string>> = {
  waiting: 'Not started',
  running: 'Running',
  good: 'Passed',
  bad: 'Failed',
}

function StepRow({ step: { name, state, result } }: { readonly step: Step }) {
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="flex-start" data-state={state}>
      <span className="test-glyph" aria-hidden>
        {state === 'running' && <Loader size={18} />}
        {state === 'waiting' && <IconCircleDashed size={20} stroke={1.6} />}
        {state === 'good' && <IconCircleCheck size={20} stroke={1.8} />}
        {state === 'bad' && <IconCircleX size={20} stroke={1.8} />}
      </span>
      <div>
        <Text size="sm" fw={550}>
          {name}
          <span className="sr-only">: {WORDS[state]}</span>
        </Text>
        {result !== '' && (
          <Text size="sm" c="dimmed" className="test-result">
            {result}
          </Text>
        )}
      </div>
    </Group>
  )
}
