import { Button, Group, NativeSelect, NumberInput, Stack, Switch, Textarea } from '@mantine/core'
import { IconBraces, IconTool } from '@tabler/icons-react'
import { useState } from 'react'
import { describeFormat } from '../../../parts/models/supply-words.ts'
import {
  CHAT_FORMATS,
  type ChatFormat,
  type Effort,
  type JsonObject,
  type Tool,
} from '../../../parts/wire/question.ts'
import { SchemaDrawer } from './schemas/schema-drawer.tsx'
import { ToolsDrawer } from './schemas/tools-drawer.tsx'

export interface Settings {
  readonly system: string
  readonly temperature: number | null
  readonly maxTokens: number | null
  readonly effort: Effort
  readonly isStreamed: boolean
  readonly tools: readonly Tool[]
  readonly schema: JsonObject | null
}

export const USUAL_SETTINGS: Settings = {
  system: '',
  temperature: null,
  maxTokens: null,
  effort: '',
  isStreamed: true,
  tools: [],
  schema: null,
}

export interface SettingsFormProps {
  readonly format: ChatFormat
  readonly onFormat: (format: ChatFormat) => void
  readonly settings: Settings
  readonly onChange: (change: Partial<Settings>) => void
}

/** Request settings. Empty fields use the model's defaults. */
export function SettingsForm({ format, onFormat, settings, onChange }: SettingsFormProps) {
  const isTemperatureLeftOut = format === 'messages' && settings.effort !== ''
  return (
    <Stack gap="sm">
      <NativeSelect
        label="Format"
        description="The API format to use. Every model works with every format."
        value={format}
        onChange={(event) => onFormat(event.currentTarget.value as ChatFormat)}
        data={CHAT_FORMATS.map((value) => ({ value, label: describeFormat(value) }))}
      />
      <Textarea
        label="System prompt"
        placeholder="You are a helpful assistant."
        autosize
        minRows={2}
        maxRows={8}
        value={settings.system}
        onChange={(event) => onChange({ system: event.currentTarget.value })}
      />
      <NumberInput
        label="Temperature"
        placeholder="Model default"
        min={0}
        max={2}
        step={0.1}
        decimalScale={2}
        {...(isTemperatureLeftOut && { description: 'Not sent with thinking in this format.' })}
        value={settings.temperature ?? ''}
        onChange={(value) => onChange({ temperature: numberOf(value) })}
      />
      <NumberInput
        label="Maximum output tokens"
        placeholder={format === 'messages' ? '4096' : 'Model default'}
        min={1}
        step={256}
        allowDecimal={false}
        value={settings.maxTokens ?? ''}
        onChange={(value) => onChange({ maxTokens: numberOf(value) })}
      />
      <NativeSelect
        label="Thinking"
        value={settings.effort}
        onChange={(event) => onChange({ effort: event.currentTarget.value as Effort })}
        data={[
          { value: '', label: 'Model default' },
          { value: 'low', label: 'Low' },
          { value: 'medium', label: 'Medium' },
          { value: 'high', label: 'High' },
        ]}
      />
      <Extras settings={settings} onChange={onChange} />
      <Switch
        label="Stream the response"
        checked={settings.isStreamed}
        onChange={(event) => onChange({ isStreamed: event.currentTarget.checked })}
      />
    </Stack>
  )
}

/** What is too large for this column opens beside it. */
function Extras({ settings, onChange }: Pick<SettingsFormProps, 'settings' | 'onChange'>) {
  const [opened, setOpened] = useState<'tools' | 'schema' | null>(null)
  const { tools, schema } = settings
  const close = () => setOpened(null)
  return (
    <Group gap="xs" grow preventGrowOverflow={false}>
      <Button
        variant={tools.length > 0 ? 'light' : 'default'}
        leftSection={<IconTool size={16} aria-hidden />}
        onClick={() => setOpened('tools')}
      >
        {tools.length === 0 ? 'Tools' : `Tools: ${tools.length}`}
      </Button>
      <Button
        variant={schema === null ? 'default' : 'light'}
        leftSection={<IconBraces size={16} aria-hidden />}
        onClick={() => setOpened('schema')}
      >
        {schema === null ? 'JSON output' : 'JSON output: on'}
      </Button>
      {opened === 'tools' && (
        <ToolsDrawer tools={tools} onSave={(changed) => onChange({ tools: changed })} onClose={close} />
      )}
      {opened === 'schema' && (
        <SchemaDrawer schema={schema} onSave={(changed) => onChange({ schema: changed })} onClose={close} />
      )}
    </Group>
  )
}

function numberOf(value: string | number): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
