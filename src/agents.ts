/**
 * Coding agents as tasks and reviewers. On Node only.
 *
 * @module
 */
export type { Agent, AgentReports, AgentResult, AgentTurn } from './agents/agent.ts';
export type { AgentEvent, AgentUsage, PlanStep, RawCause, ToolEvent, ToolKind } from './agents/agent-event.ts';
export { AgentError } from './agents/agent-error.ts';
export { startedByAgent } from './agents/agent-marker.ts';
export type { FailureAdvice } from './agents/failure-words.ts';
export type {
  AgentAccess,
  AskAboutPermission,
  PermissionAnswer,
  PermissionPolicy,
  PermissionQuestion,
  PermissionRule,
} from './agents/permission.ts';
export { commandAgent, type AgentLine, type CommandAgentOptions } from './agents/command/command-agent.ts';
export { jsonlAgent, type JsonlAgentOptions } from './agents/jsonl/jsonl-agent.ts';
export type { AgentEnding, JsonlProfile, JsonlReader, ProfileTurn } from './agents/jsonl/profile.ts';
export type { ProfileName } from './agents/jsonl/profiles.ts';
export type { Deadlines } from './agents/process/deadlines.ts';
export { agentReviewer, type AgentReviewerOptions } from './agents/work/agent-reviewer.ts';
export { agentTask, type AgentTaskOptions } from './agents/work/agent-task.ts';
export type { Workspace, WorkspaceEnd, WorkspaceOption } from './agents/work/workspace.ts';
export type { AnswerSchema } from './llm/call/port.ts';
export type { Task } from './model/handlers/task.ts';
