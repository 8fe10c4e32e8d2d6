export { ReasoningAgent, type ForestResponseOptions, type ReasoningAgentOptions } from './agent/reasoning-agent.ts'
export { generateForestResponse } from './agent/forest-response.steps.ts'
export { InternalAgent } from './agent/internal-agent.ts'
export { Reasoner, type ReasonerOptions } from './agent/reasoner.ts'
export type { RateNodeOptions } from './agent/reasoner.steps.ts'
export type { DeprecatedReasonOptions, ReasonOptions, ReasonSettings } from './agent/settings.ts'
export { modelAnswerer, type ModelAnswererOptions } from './ask/model-answerer.ts'
export { modelGrader, type ModelGraderOptions } from './ask/model-grader.ts'
export { modelParts, type ModelPartsOptions } from './ask/model-parts.ts'
export { modelProposer, type ModelProposerOptions } from './ask/model-proposer.ts'
export type { SearchBudget } from './search/budget.ts'
export type { Clock } from './search/clock.ts'
export type {
  AnswerJob,
  ExpandJob,
  Grade,
  GradeJob,
  Job,
  JobRecord,
  MergeJob,
  Outcome,
  Place,
  ProposedOption,
  Verdict,
} from './strategy/job.ts'
export { MemoryJournal, type Journal, type JournalData, type MemoryJournalOptions } from './search/search-journal.ts'
export { METHOD_NAMES, methodOf } from './methods/method-of.ts'
export { beam, dfs, type BeamOptions, type GradeMode } from './methods/beam.ts'
export { bestOfN, type BestOfNOptions } from './methods/best-of-n.ts'
export { forest, type ForestOptions } from './methods/forest.ts'
export type { FrontierOptions } from './methods/frontier-options.ts'
export { bestFirst, depthFirst } from './methods/frontier.ts'
export { gradedMcts, type GradedMctsOptions } from './methods/graded-mcts.ts'
export { lats, mcts, type MctsOptions } from './methods/mcts.ts'
export { OpenJobs } from './strategy/open-jobs.ts'
export { seededRandom, type Random } from './strategy/random.ts'
export { readOptions, type ReadOptions } from './read/options.ts'
export { readRating } from './read/rating.ts'
export { readRatings, type ReadRating } from './read/ratings.ts'
export type {
  Answerer,
  Asked,
  GradeRequest,
  Grader,
  Grading,
  Proposal,
  ProposeRequest,
  Proposer,
  Used,
  Verification,
  Verifier,
  WrittenAnswer,
} from './search/parts.ts'
export type { JobFailure, SearchOptions, SearchParts, SearchResult } from './search/search-options.ts'
export { search, searchStream, searchSync } from './search/search.ts'
export { searchSteps } from './search/search.steps.ts'
export { sampleOf, type Found, type Method, type Strategy, type Task } from './strategy/strategy.ts'
export { ThinkNode, type Fate, type ThinkNodeOptions } from './tree/think-node.ts'
export {
  extractRlhfPreferenceDataset,
  extractSftDataset,
  extractStepLabels,
  toJsonLines,
  type PreferenceRow,
  type SftRow,
  type StepRow,
} from './tree/training.ts'
export { Tree, type TreeChange } from './tree/tree.ts'
export { renderDot } from './views/dot.ts'
export { renderHtml, type HtmlViewOptions } from './views/html.ts'
export { renderMermaid } from './views/mermaid.ts'
export { SearchProgress } from './views/progress.ts'
export { renderText, type TextViewOptions } from './views/text.ts'
export { ballot, majority } from './strategy/vote.ts'
