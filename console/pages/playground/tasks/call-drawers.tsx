import { Drawer, Stack, Tabs, Text } from '@mantine/core'
import { KEY_VARIABLE } from '../../../parts/code/literals.ts'
import { CodeBlock } from '../../../parts/text/code-block.tsx'
import { LanguageTabs, ResponseView } from '../code-drawer.tsx'
import { shortenBody } from '../shorten.ts'
import type { Code } from '../write-code.ts'
import type { Call, Called } from './use-call.ts'

interface DrawerProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** A request in several languages. */
export function CodesDrawer({ isOpen, onClose, codes }: DrawerProps & { readonly codes: readonly Code[] }) {
  return (
    <Drawer opened={isOpen} onClose={onClose} size="xl" title="Copy as code">
      <Stack gap="sm">
        <LanguageTabs codes={codes} />
        <Text size="sm" c="dimmed">
          The code reads the key from the environment variable {KEY_VARIABLE}.
        </Text>
      </Stack>
    </Drawer>
  )
}

type CallDrawerProps = DrawerProps & Pick<Called<unknown>, 'call' | 'answer'>

/** Request and response as sent. Only the key is hidden, and long lists of numbers and images are shortened. */
export function CallDrawer({ call, answer, isOpen, onClose }: CallDrawerProps) {
  const isForm = call.files.length > 0
  const type = isForm ? 'multipart/form-data' : 'application/json'
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
              title="Headers"
              code={`POST ${call.path}\ncontent-type: ${type}\nauthorization: Bearer sk-…`}
              isWrapped
            />
            <CodeBlock
              title={isForm ? 'Fields' : 'Body'}
              code={JSON.stringify(shownFields(call), null, 2)}
              isWrapped
            />
          </Stack>
        </Tabs.Panel>
        <Tabs.Panel value="response">
          <ResponseView answer={{ ...answer, body: answer.body && shortenBody(answer.body) }} />
        </Tabs.Panel>
      </Tabs>
    </Drawer>
  )
}

function shownFields({ fields, files }: Call): object {
  return { ...fields, ...Object.fromEntries(files.map(({ field, name }) => [field, `(${name})`])) }
}
