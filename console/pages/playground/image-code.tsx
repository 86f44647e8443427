import { Drawer, Stack, Tabs, Text } from '@mantine/core'
import { CodeBlock } from '../../parts/text/code-block.tsx'
import { LanguageTabs, ResponseView } from './code-drawer.tsx'
import { type Painting, type PaintQuestion, paintFields } from './paint.ts'
import { writeImageCode } from './write-image-code.ts'

export interface ImageCodeDrawerProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly question: PaintQuestion
  readonly isEdit: boolean
}

export function ImageCodeDrawer({ isOpen, onClose, question, isEdit }: ImageCodeDrawerProps) {
  const codes = writeImageCode(question, { isEdit, baseUrl: window.location.origin })
  return (
    <Drawer opened={isOpen} onClose={onClose} size="xl" title="Copy as code">
      <Stack gap="sm">
        <LanguageTabs codes={codes} />
        <Text size="sm" c="dimmed">
          The key is read from the variable TURNPIKE_API_KEY.
        </Text>
      </Stack>
    </Drawer>
  )
}

export interface ImageWireDrawerProps {
  readonly painting: Painting
  readonly isOpen: boolean
  readonly onClose: () => void
}

// A picture in Base64 has a million letters, which nobody reads and a browser is slow to lay out.
const LONGEST_PICTURE_TEXT = /("b64_json"\s*:\s*")([^"]{60})[^"]*"/g

export function ImageWireDrawer({ painting, isOpen, onClose }: ImageWireDrawerProps) {
  const { question, answer } = painting
  const body = answer.body?.replace(LONGEST_PICTURE_TEXT, '$1$2…"') ?? null
  const sent = question.edit === null ? 'generations' : 'edits'
  const files =
    question.edit === null
      ? {}
      : { image: '(the picture)', ...(question.edit.mask && { mask: '(what may be changed)' }) }
  const type = question.edit === null ? 'application/json' : 'multipart/form-data'
  return (
    <Drawer opened={isOpen} onClose={onClose} size="xl" title="As sent">
      <Tabs defaultValue="request" keepMounted={false}>
        <Tabs.List mb="md">
          <Tabs.Tab value="request">Request</Tabs.Tab>
          <Tabs.Tab value="response">Response</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="request">
          <Stack gap="sm">
            <CodeBlock
              title="Head"
              code={`POST /v1/images/${sent}\ncontent-type: ${type}\nauthorization: Bearer sk-…`}
              isWrapped
            />
            <CodeBlock
              title="Body"
              code={JSON.stringify({ ...paintFields(question), ...files }, null, 2)}
              isWrapped
            />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="response">
          <ResponseView answer={{ ...answer, body }} />
        </Tabs.Panel>
      </Tabs>
    </Drawer>
  )
}
