export { redact, redactData } from './redact.ts';
export { secretsOf } from './redact.ts';
export { isSecretName } from './redact.ts';
export { guardSecrets } from './redact.ts';
