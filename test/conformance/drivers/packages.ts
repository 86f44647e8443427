/** Under which name each official SDK is installed. */
export const PACKAGES = {
  'openai 7': 'openai',
  'openai 6': 'openai-6',
  'anthropic 1': '@anthropic-ai/sdk',
  'anthropic 0': 'anthropic-0',
  'genai 2': '@google/genai',
  'genai 1': 'genai-1',
} as const
