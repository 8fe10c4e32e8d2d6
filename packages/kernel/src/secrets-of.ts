import type { ConfigEntry } from '@x/interfaces'
import { isSecretName } from './secret-name.ts'

/** Collects the texts of an entry that must never be shown: its key, values and headers with the name of a secret, those of its URL. */
export function secretsOf(entry: Readonly<ConfigEntry>): Set<string> {
  const secrets = new Set<string>()
  const add = (text: string): void => {
    if (text.length >= 6) secrets.add(text)
  }
  for (const [name, value] of Object.entries({ ...entry, ...entry.defaultHeaders })) {
    if (typeof value !== 'string' || !isSecretName(name)) continue
    add(value)
    add(value.trim())
    // `Bearer` and the like stand before the secret.
    add(value.trim().slice(value.trim().lastIndexOf(' ') + 1))
  }
  for (const text of secretsInUrl(entry.baseUrl)) add(text)
  return secrets
}

function secretsInUrl(url: unknown): string[] {
  if (typeof url !== 'string' || !URL.canParse(url)) return []
  const { username, password, searchParams } = new URL(url)
  // A name alone is a token.
  const login = password || username
  const named = [...searchParams].filter(([name]) => isSecretName(name)).map(([, value]) => value)
  return [login, decoded(login), ...named]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
