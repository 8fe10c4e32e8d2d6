export { redact, redactData } from './redact.ts';
export { secretsOf } from './secrets-of.ts';
export { isSecretName } from './secret-name.ts';
