export { createExampleGroup, SILENT_MESSAGE, type ExampleGroupOptions, type OrderRequest } from './example-group.ts'
export { SPEAKER_REASONS } from './speaker-reasons.ts'
