import type { ParameterRules } from '../translation.ts'

export const GENERATION_PARAMETERS: ParameterRules = {
  strippable: new Set([
    'generationConfig.temperature',
    'generationConfig.topP',
    'generationConfig.topK',
    'generationConfig.seed',
    'generationConfig.presencePenalty',
    'generationConfig.frequencyPenalty',
    'generationConfig.thinkingConfig',
    'generationConfig.thinkingConfig.includeThoughts',
    'generationConfig.thinkingConfig.thinkingBudget',
    'generationConfig.thinkingConfig.thinkingLevel',
    'generationConfig.mediaResolution',
    'generationConfig.enableEnhancedCivicAnswers',
    'labels',
    'serviceTier',
    'store',
  ]),
  respelled: {},
}
