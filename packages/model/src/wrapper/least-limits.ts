import type { ModelClient, ModelLimits } from '@x/interfaces'
import type { WrapperParts } from '../call/wrapper-parts.ts'

/** Returns the limits of the model that a client is asked for; what is unknown is absent. */
function limitsOfModel(client: ModelClient, model: string | undefined): ModelLimits {
  if (model !== undefined && client.limitsOf) return client.limitsOf(model)
  const { contextWindow, maxOutput } = client.capabilities ?? {}
  return { contextWindow, maxOutput }
}

/** Returns the least limits of the configs of a wrapper; `model` is asked of configs that name none. */
export function leastLimits({ plan, own }: WrapperParts, model: string | null | undefined): ModelLimits {
  const all = plan.slots.flatMap(({ index, provider, client: config }) => {
    const client = own?.[index] ?? (provider && plan.shared.clientFor(provider, config))
    return client ? [limitsOfModel(client, config.model ?? model ?? undefined)] : []
  })
  const contextWindow = least(all.map((each) => each.contextWindow))
  const maxOutput = least(all.map((each) => each.maxOutput))
  return { ...(contextWindow !== undefined && { contextWindow }), ...(maxOutput !== undefined && { maxOutput }) }
}

function least(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value): value is number => value !== undefined && Number.isFinite(value) && value > 0)
  return known.length > 0 ? Math.min(...known) : undefined
}
