import { Drawer, NativeSelect, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import {
  CHAT_FORMATS,
  type ChatFormat,
  FORMAT_LABELS,
  type Question,
} from '../../parts/wire/write-request.ts'
import { LanguageTabs } from './language-tabs.tsx'
import { writeCode } from './write-code.ts'

export interface CodeDrawerProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly question: Question
}

export function CodeDrawer({ isOpen, onClose, question }: CodeDrawerProps) {
  return (
    <Drawer opened={isOpen} onClose={onClose} size="xl" title="Copy as code">
      {isOpen && <CodeTabs question={question} />}
    </Drawer>
  )
}

const SDKS: Readonly<Record<ChatFormat, string>> = {
  'chat-completion': 'OpenAI SDK',
  responses: 'OpenAI SDK',
  messages: 'Anthropic SDK',
  'content-generation': 'Google SDK',
}

/** The same question for programs, in any format. */
export function CodeTabs({ question }: { readonly question: Question }) {
  const [format, setFormat] = useState<ChatFormat>(question.format)
  const codes = writeCode({ ...question, format }, window.location.origin)
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Format"
        value={format}
        onChange={(event) => setFormat(event.currentTarget.value as ChatFormat)}
        data={CHAT_FORMATS.map((value) => ({ value, label: `${FORMAT_LABELS[value]} – ${SDKS[value]}` }))}
      />
      <LanguageTabs codes={codes} />
      <Text size="sm" c="dimmed">
        The key is read from the variable TURNPIKE_API_KEY, so that it is never pasted into a file by mistake.
      </Text>
    </Stack>
  )
}
