/** Characters that `git log --oneline` and reviews show of a subject. */
const MAX_SUBJECT_LENGTH = 72

/** Finds subjects of commits that are longer than 72 characters. */
export function longSubjects(subjects: readonly string[]): string[] {
  return subjects.filter((subject) => subject.length > MAX_SUBJECT_LENGTH)
}
