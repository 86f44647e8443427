export interface TypeFacts {
  readonly label: string
  readonly formats: readonly string[]
  readonly example: string
  /** What only suppliers of this type need to know. */
  readonly options: readonly string[]
}

const OPENAI_FORMATS = ['chat-completion', 'responses', 'images']

/** The kinds of suppliers the gateway can call, with what each of them speaks. */
export const SUPPLIER_TYPES: Readonly<Record<string, TypeFacts>> = {
  openai: {
    label: 'OpenAI',
    formats: OPENAI_FORMATS,
    example: 'https://api.openai.com/v1',
    options: ['organization', 'project'],
  },
  anthropic: {
    label: 'Anthropic',
    formats: ['messages'],
    example: 'https://api.anthropic.com',
    options: ['version', 'betas'],
  },
  google: {
    label: 'Google Gemini',
    formats: ['content-generation'],
    example: 'https://generativelanguage.googleapis.com',
    options: [],
  },
  'openai-compatible': {
    label: 'OpenAI-compatible',
    formats: OPENAI_FORMATS,
    example: 'https://llm.example.com/v1',
    options: ['vendor'],
  },
  'azure-openai': {
    label: 'Azure OpenAI',
    formats: OPENAI_FORMATS,
    example: 'https://<resource>.openai.azure.com',
    options: ['api_version'],
  },
  bedrock: {
    label: 'Amazon Bedrock',
    formats: ['messages', 'chat-completion'],
    example: 'https://bedrock-runtime.us-east-1.amazonaws.com',
    options: ['region', 'betas'],
  },
  vertex: {
    label: 'Google Vertex AI',
    formats: ['content-generation', 'messages'],
    example: 'https://us-central1-aiplatform.googleapis.com',
    options: ['project', 'location', 'token_uri', 'betas'],
  },
  sandbox: {
    label: 'Sandbox',
    formats: [...OPENAI_FORMATS, 'messages', 'content-generation'],
    example: 'http://127.0.0.1:8080',
    options: [],
  },
}

export function typeLabel(type: string): string {
  return SUPPLIER_TYPES[type]?.label ?? type
}
