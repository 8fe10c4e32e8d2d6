/** For whatever is shown to people or kept: secrets are taken out of texts, in every form they travel in. */
export { redact, redactData } from './redact.ts'
export { secretsOf } from './redact.ts'
export { isSecretName } from './redact.ts'
export { guardSecrets } from './redact.ts'
