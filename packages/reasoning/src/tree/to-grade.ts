/** Holds a number within 0 and 1; NaN is no grade. */
export const toGrade = (value: number): number | null => (Number.isNaN(value) ? null : Math.min(1, Math.max(0, value)))
