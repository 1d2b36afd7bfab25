// Written by `npm run generate` from docs/reference/openapi.json. Not to be changed by hand.

export interface paths {
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Agents, newest first. */
        get: operations["agents_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One agent. */
        get: operations["agents_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{id}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Let an agent in no more. */
        post: operations["agents_revoke_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List requests. */
        get: operations["approvals_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show one request. */
        get: operations["approvals_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Approve. */
        post: operations["approvals_approve_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/approvals/{id}/refuse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Refuse. */
        post: operations["approvals_refuse_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Entries of the tenants that one audits, newest first. */
        get: operations["audit_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Check every entry of a tenant's chain, and its head. */
        post: operations["audit_verify_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["cluster_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/clusters/{id}/layout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show. */
        get: operations["cluster_layout"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/enrol-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Make a token with which the agent of one node can enrol, once. */
        post: operations["enrol_tokens_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Bring it in, or say what that would change. */
        post: operations["fleet_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fleet/rule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show. */
        get: operations["fleet_rule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["job_list"];
        put?: never;
        /** @description Submit a job; its nodes are found at once, or as soon as there are enough. */
        post: operations["job_submit"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show. */
        get: operations["job_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/certificates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["job_certificate_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/certificates/{certificate}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show. */
        get: operations["job_certificate_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/commands": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["job_command_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["job_event_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/loss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show. */
        get: operations["job_loss"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["job_member_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/ranks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["job_ranks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Ask for it; it has stopped once its nodes have said so. */
        post: operations["job_stop"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Export. */
        get: operations["job_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/found": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["found_job_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/found/{id}/attach": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Follow it. */
        post: operations["job_attach"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description People in one's tenants, newest first. */
        get: operations["members_list"];
        put?: never;
        /** @description Say what a person is in a tenant, whatever they were before. */
        post: operations["members_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/members/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description What a person is in a tenant. */
        get: operations["members_retrieve"];
        put?: never;
        post?: never;
        /** @description Take a person out of a tenant. */
        delete: operations["members_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["node_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show. */
        get: operations["node_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["node_event_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/signals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show. */
        get: operations["node_signals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/spare": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Change it. */
        post: operations["node_spare_set"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/spares": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["node_spares"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/{id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Change it. */
        post: operations["node_state_change"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/nodes/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Export. */
        get: operations["node_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Answer from one moment. */
        get: operations["overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Find by name or id; nothing for an empty question. */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Who one is. */
        get: operations["session_retrieve"];
        put?: never;
        /** @description Sign in. */
        post: operations["session_create"];
        /** @description Sign out. */
        delete: operations["session_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List swaps. */
        get: operations["swaps_list"];
        put?: never;
        /** @description Propose a swap; it is planned, and its approval asked for, before the answer comes. */
        post: operations["swaps_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show one swap. */
        get: operations["swaps_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps/{id}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Withdraw what was not begun; ask the coordinator to give up what was. */
        post: operations["swaps_abort_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps/{id}/certificate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show the certificate, and whether its digest still holds. */
        get: operations["swaps_certificate_retrieve"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List events. */
        get: operations["swaps_events_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps/brake": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show whether the brake is on. */
        get: operations["swaps_brake_retrieve"];
        /** @description Engage or release it. */
        put: operations["swaps_brake_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps/holds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List holds. */
        get: operations["swaps_holds_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps/holds/{id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Release one. */
        post: operations["swaps_holds_release_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/swaps/limits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show the limits. */
        get: operations["swaps_limits_retrieve"];
        /** @description Set the limits. */
        put: operations["swaps_limits_update"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Tenants, newest first. */
        get: operations["tenants_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Tokens, newest first. */
        get: operations["tokens_list"];
        put?: never;
        /** @description Make a token for oneself. Its text is in the answer, and nowhere else. */
        post: operations["tokens_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description One token. */
        get: operations["tokens_retrieve"];
        put?: never;
        post?: never;
        /** @description Revoke a token. */
        delete: operations["tokens_destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["webhook_list"];
        put?: never;
        /** @description Make one. */
        post: operations["webhook_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description Show it. */
        get: operations["webhook_get"];
        put?: never;
        post?: never;
        /** @description Remove it. */
        delete: operations["webhook_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description List. */
        get: operations["webhook_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Give it up. */
        AbortRequest: {
            /** @default  */
            reason: string;
        };
        /**
         * @description * `add` - add
         *     * `change` - change
         * @enum {string}
         */
        ActionEnum: "add" | "change";
        /** @description Who acted. */
        ActorField: {
            id: string;
            kind: string;
            name: string;
        };
        /** @description Who did something. */
        ActorOut: {
            id: string;
            kind: string;
            name: string;
        };
        /** @description Who acted. */
        ActorRef: {
            id: string;
            kind: string;
            name: string;
        };
        /** @description An agent and its certificate. */
        AgentShown: {
            /** Format: date-time */
            readonly certificate_expires_at: string;
            /** Format: date-time */
            readonly created_at: string;
            readonly fingerprint: string;
            /** Format: uuid */
            readonly id: string;
            /** Format: date-time */
            readonly last_seen_at: string | null;
            readonly node: string;
            /** Format: date-time */
            readonly revoked_at: string | null;
            readonly serial: string;
            /** Format: uuid */
            readonly tenant: string;
            readonly version: string;
        };
        /** @description A state that one could ask for. */
        AllowedOut: {
            action: string;
            enabled: boolean;
            reason: string | null;
            state: components["schemas"]["NodeStateEnum"];
        };
        /** @description Yes, to exactly this plan. */
        ApproveRequest: {
            plan_digest: string;
            /** @default  */
            reason: string;
        };
        /** @description Whether new planned swaps are stopped. */
        Brake: {
            /** Format: date-time */
            at: string | null;
            engaged: boolean;
            engaged_by: components["schemas"]["ActorRef"] | null;
            reason: string | null;
            /** Format: uuid */
            tenant: string;
        };
        /** @description How the brake is to be. */
        BrakeWishRequest: {
            engaged: boolean;
            /** @default  */
            reason: string | null;
            /** Format: uuid */
            tenant?: string | null;
        };
        /** @description Who it was. */
        ByOut: {
            id: string;
            kind: string;
            name: string;
        };
        /** @description Proof that the rank changed hands. */
        Certificate: {
            digest: string;
            document: unknown;
            /** Format: uuid */
            id: string;
            /** @description Tell whether the document still has the digest that was written down with it. */
            readonly verified: boolean;
        };
        /** @description Proof that a rank changed hands. */
        CertificateOut: {
            /** Format: date-time */
            created_at: string;
            digest: string;
            document: {
                [key: string]: unknown;
            };
            /** Format: uuid */
            readonly id: string;
            swap: string;
        };
        /** @description One thing that an import adds or changes. */
        ChangeOut: {
            action: components["schemas"]["ActionEnum"];
            fields_changed: components["schemas"]["FieldChangeOut"][];
            name: string;
            what: components["schemas"]["WhatEnum"];
        };
        /** @description A cluster, with the nodes of it that are visible. */
        ClusterOut: {
            /** Format: uuid */
            id: string;
            name: string;
            nodes_count: number;
        };
        /** @description What an agent was told, and what became of it. */
        CommandOut: {
            /** Format: date-time */
            answered_at?: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            deadline_at: string;
            detail?: string;
            /** Format: int64 */
            fence?: number;
            /** Format: uuid */
            readonly id: string;
            kind: string;
            node: components["schemas"]["ReferenceOut"];
            result: {
                [key: string]: unknown;
            };
            /** Format: date-time */
            sent_at?: string | null;
            state: components["schemas"]["CommandOutStateEnum"];
        };
        /**
         * @description * `queued` - queued
         *     * `sent` - sent
         *     * `accepted` - accepted
         *     * `done` - done
         *     * `failed` - failed
         *     * `refused` - refused
         *     * `expired` - expired
         * @enum {string}
         */
        CommandOutStateEnum: "queued" | "sent" | "accepted" | "done" | "failed" | "refused" | "expired";
        /** @description What one signal says about its node. */
        ContributionOut: {
            /** Format: double */
            figure: number | null;
            grade: (components["schemas"]["GradeEnum"] | components["schemas"]["NullEnum"]) | null;
            name: string;
            reason: string;
            required: boolean;
            source: (components["schemas"]["SourceEnum"] | components["schemas"]["NullEnum"]) | null;
            unit: string;
        };
        /** @description A curve. Where points were left out, peaks, gaps and validation losses are all there. */
        CurveOut: {
            points: components["schemas"]["LossPointOut"][];
            steps: number;
            thinned: boolean;
            truncated: boolean;
        };
        /** @description What has become of one message. */
        DeliveryOut: {
            /** Format: int64 */
            answer_status?: number | null;
            /** Format: int64 */
            attempts?: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            delivered_at?: string | null;
            /** Format: date-time */
            due_at: string;
            /** Format: uuid */
            readonly id: string;
            kind: string;
            problem?: string;
            state?: components["schemas"]["DeliveryOutStateEnum"];
            /** Format: uuid */
            webhook: string;
        };
        /**
         * @description * `pending` - Pending
         *     * `delivered` - Delivered
         *     * `given_up` - Given Up
         * @enum {string}
         */
        DeliveryOutStateEnum: "pending" | "delivered" | "given_up";
        /** @description An accelerator; empty or null: not known. */
        DeviceOut: {
            index: number;
            kind: string;
            memory_nbytes: number | null;
            model: string;
            state: components["schemas"]["DeviceOutStateEnum"];
            /** Format: date-time */
            state_at: string;
            uuid: string;
        };
        /**
         * @description * `present` - present
         *     * `missing` - missing
         * @enum {string}
         */
        DeviceOutStateEnum: "present" | "missing";
        /**
         * @description * `rising` - rising
         *     * `falling` - falling
         * @enum {string}
         */
        DirectionEnum: "rising" | "falling";
        /** @description A failure domain. */
        DomainOut: {
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["DomainOutKindEnum"];
            name: string;
            /** Format: uuid */
            parent: string | null;
        };
        /**
         * @description * `rack` - rack
         *     * `power` - power
         *     * `switch` - switch
         * @enum {string}
         */
        DomainOutKindEnum: "rack" | "power" | "switch";
        /** @description One entry: as columns, and the text whose digest the next one holds. */
        Entry: {
            readonly action: string;
            readonly actor: components["schemas"]["EntryActor"];
            /** Format: date-time */
            readonly at: string;
            readonly body: string;
            /** @description What the action says about itself; empty where the body can't be read. */
            readonly detail: {
                [key: string]: unknown;
            };
            readonly digest: string;
            readonly id: number;
            readonly sequence: number;
            readonly subject: string;
            /** Format: uuid */
            tenant: string;
        };
        /** @description Who did it. */
        EntryActor: {
            id: string;
            kind: string;
            name: string;
        };
        /** @description A field that becomes another. */
        FieldChangeOut: {
            after: string;
            before: string;
            name: string;
        };
        /** @description A fleet as another system writes it down. */
        FleetInRequest: {
            /** @default  */
            cluster: string;
            /** @default false */
            dry_run: boolean;
            format: components["schemas"]["FormatEnum"];
            /** Format: uuid */
            tenant?: string | null;
            text: string;
        };
        /**
         * @description * `yaml` - yaml
         *     * `csv` - csv
         *     * `scontrol` - scontrol
         *     * `kubectl` - kubectl
         * @enum {string}
         */
        FormatEnum: "yaml" | "csv" | "scontrol" | "kubectl";
        /** @description A job that runs without the plane, and could be attached. */
        FoundJobOut: {
            directory: string;
            /** Format: uuid */
            readonly id: string;
            name: string;
            node: components["schemas"]["ReferenceOut"];
            script?: string;
            /** Format: date-time */
            seen_at: string;
            /** Format: int64 */
            standbys?: number | null;
            wanted?: boolean;
            /** Format: int64 */
            world_size?: number | null;
        };
        /** @description Nodes of each grade. */
        GradeCountsOut: {
            critical: number;
            high: number;
            low: number;
            medium: number;
            unknown: number;
        };
        /**
         * @description * `unknown` - unknown
         *     * `low` - low
         *     * `medium` - medium
         *     * `high` - high
         *     * `critical` - critical
         * @enum {string}
         */
        GradeEnum: "unknown" | "low" | "medium" | "high" | "critical";
        /** @description The end of a chain: keep it elsewhere, and give it as known the next time. */
        HeadShown: {
            digest: string;
            sequence: number;
            signature: string;
        };
        /** @description Something that was found, and where its page is. */
        HitOut: {
            /** Format: uuid */
            id: string;
            kind: components["schemas"]["HitOutKindEnum"];
            name: string;
            path: string;
        };
        /**
         * @description * `node` - node
         *     * `job` - job
         *     * `swap` - swap
         * @enum {string}
         */
        HitOutKindEnum: "node" | "job" | "swap";
        /** @description A rank for which nothing is tried any more. */
        Hold: {
            cause: string;
            /** Format: date-time */
            created_at: string;
            /** Format: uuid */
            readonly id: string;
            job: components["schemas"]["SwapJob"];
            /** Format: int64 */
            rank: number;
            /** Format: date-time */
            released_at?: string | null;
            released_by: components["schemas"]["ActorRef"] | null;
            /** Format: uuid */
            tenant: string;
        };
        /** @description What an import does, or has done. */
        ImportOut: {
            applied: boolean;
            changes: components["schemas"]["ChangeOut"][];
            cluster: string;
            kept: number;
            notes: string[];
        };
        /** @description Something that happened. */
        JobEventOut: {
            /** Format: date-time */
            at: string;
            /** Format: int64 */
            epoch?: number | null;
            id: string;
            kind: string;
            /** @description Member that it is about. */
            readonly member: string | null;
            /** Format: int64 */
            rank?: number | null;
            /** Format: int64 */
            sequence: number;
            /** Format: int64 */
            step?: number | null;
            text?: string;
            values: {
                [key: string]: number | null;
            };
        };
        /** @description A job. */
        JobInRequest: {
            arguments?: string[];
            checkpoint_every_steps?: number | null;
            /** Format: uuid */
            cluster: string;
            /** @default 2 */
            coordinators: number;
            /** @default  */
            directory: string;
            environment?: {
                [key: string]: string;
            };
            name: string;
            ranks: number;
            script: string;
            /** Format: int64 */
            seed?: number | null;
            /** @default 0 */
            standbys: number;
            /** Format: uuid */
            tenant?: string | null;
        };
        /** @description A job. Null: not known. Protection is unknown where nobody was heard of lately. */
        JobOut: {
            arguments: string[];
            attached?: boolean;
            /** Format: int64 */
            checkpoint_every_steps?: number | null;
            cluster: components["schemas"]["ReferenceOut"];
            /** Format: int64 */
            committed_step?: number | null;
            /** Format: int64 */
            coordinators_wanted?: number;
            /** Format: date-time */
            created_at: string;
            digest: string;
            directory?: string;
            end_reason?: string;
            /** Format: date-time */
            ended_at?: string | null;
            /** @description Variables that its processes get. */
            readonly environment_names: string[];
            /** Format: int64 */
            epoch?: number | null;
            /** Format: int64 */
            fence?: number;
            /** Format: double */
            goodput?: number | null;
            /** Format: uuid */
            readonly id: string;
            /** @description Coordinator that leads. */
            readonly leader: string | null;
            /** Format: double */
            loss?: number | null;
            name: string;
            phase?: string;
            placement_warnings: string[];
            protection: components["schemas"]["ProtectionEnum"];
            /** Format: date-time */
            reported_at?: string | null;
            /** Format: double */
            samples_per_s?: number | null;
            script: string;
            /** Format: int64 */
            seed?: number | null;
            stale: boolean;
            standbys: string[];
            /** Format: int64 */
            standbys_wanted?: number;
            /** Format: date-time */
            started_at?: string | null;
            state: components["schemas"]["JobOutStateEnum"];
            /** Format: double */
            step_time_s?: number | null;
            stop_reason?: string;
            /** Format: date-time */
            stop_requested_at?: string | null;
            submitted_by: components["schemas"]["ByOut"];
            /** Format: uuid */
            tenant: string;
            /** Format: double */
            validation_loss?: number | null;
            /** Format: int64 */
            world_size: number;
        };
        /**
         * @description * `submitted` - submitted
         *     * `starting` - starting
         *     * `running` - running
         *     * `finished` - finished
         *     * `failed` - failed
         *     * `stopped` - stopped
         * @enum {string}
         */
        JobOutStateEnum: "submitted" | "starting" | "running" | "finished" | "failed" | "stopped";
        /** @description An entry that was kept elsewhere, from an earlier look. */
        KnownEntryRequest: {
            digest: string;
            /** Format: int64 */
            sequence: number;
        };
        /** @description A cluster as it stands. */
        LayoutOut: {
            cluster: components["schemas"]["NamedOut"];
            domains: components["schemas"]["DomainOut"][];
            nodes_by_domain: {
                [key: string]: string[];
            };
            racks: components["schemas"]["RackOut"][];
        };
        /** @description How many planned swaps may be under way at once. */
        Limits: {
            /** Format: int64 */
            per_job?: number;
            /** Format: int64 */
            per_rack?: number;
            /** Format: int64 */
            per_tenant?: number;
            /** Format: uuid */
            tenant?: string | null;
        };
        /** @description How many planned swaps may be under way at once. */
        LimitsRequest: {
            /** Format: int64 */
            per_job?: number;
            /** Format: int64 */
            per_rack?: number;
            /** Format: int64 */
            per_tenant?: number;
            /** Format: uuid */
            tenant?: string | null;
        };
        /** @description One signal over time. */
        LineOut: {
            name: string;
            points: components["schemas"]["PointOut"][];
            source: components["schemas"]["SourceEnum"];
            thresholds: components["schemas"]["ThresholdsOut"] | null;
            unit: string;
        };
        /** @description What one committed step measured. */
        LossPointOut: {
            epoch: number;
            /** Format: double */
            loss: number | null;
            step: number;
            /** Format: double */
            step_s: number | null;
            /** Format: double */
            validation_loss: number | null;
        };
        /** @description A token to enrol with, the one time that its text is shown. */
        MadeEnrolToken: {
            authority_digest: string;
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at: string;
            /** Format: uuid */
            readonly id: string;
            readonly node: string;
            /** Format: uuid */
            readonly tenant: string;
            token: string;
        };
        /** @description A token, the one time that its text is shown. */
        MadeToken: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at: string | null;
            /** Format: uuid */
            readonly id: string;
            /** Format: date-time */
            readonly last_used_at: string | null;
            readonly name: string;
            owner: string;
            readonly prefix: string;
            /** Format: date-time */
            readonly revoked_at: string | null;
            scopes: string[];
            /** Format: uuid */
            readonly tenant: string;
            token: string;
        };
        /** @description Who one is. */
        Me: {
            csrf_token: string;
            display_name: string;
            id: string;
            kind: components["schemas"]["MeKindEnum"];
            scopes: string[] | null;
            tenants: components["schemas"]["OwnTenant"][];
            username: string;
        };
        /**
         * @description * `person` - person
         *     * `token` - token
         *     * `agent` - agent
         *     * `system` - system
         * @enum {string}
         */
        MeKindEnum: "person" | "token" | "agent" | "system";
        /** @description A person in a tenant. */
        Member: {
            /** Format: date-time */
            readonly created_at: string;
            display_name: string;
            /** Format: uuid */
            readonly id: string;
            roles: components["schemas"]["RolesEnum"][];
            /** Format: uuid */
            readonly tenant: string;
            /** Format: uuid */
            readonly user: string;
            username: string;
        };
        /** @description A process, as its agent said last. */
        MemberOut: {
            /** Format: date-time */
            created_at: string;
            /** Format: int64 */
            exit_status?: number | null;
            /** Format: uuid */
            readonly id: string;
            /** Format: date-time */
            lost_at?: string | null;
            lost_reason?: string;
            name: string;
            node: components["schemas"]["ReferenceOut"];
            /** Format: int64 */
            pid?: number | null;
            /** Format: int64 */
            rank?: number | null;
            role: components["schemas"]["RoleEnum"];
            /** Format: date-time */
            since: string;
            state: components["schemas"]["MemberOutStateEnum"];
        };
        /**
         * @description * `wanted` - wanted
         *     * `running` - running
         *     * `gone` - gone
         *     * `exited` - exited
         * @enum {string}
         */
        MemberOutStateEnum: "wanted" | "running" | "gone" | "exited";
        /** @description Something with a name. */
        NamedOut: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description For which node. */
        NewEnrolTokenRequest: {
            node: string;
            /** Format: uuid */
            tenant?: string;
        };
        /** @description Who is to be what. */
        NewMemberRequest: {
            roles: components["schemas"]["RolesEnum"][];
            /** Format: uuid */
            tenant?: string;
            username: string;
        };
        /** @description What a token is to be. */
        NewTokenRequest: {
            /** Format: date-time */
            expires_at?: string | null;
            name: string;
            scopes: components["schemas"]["ScopesEnum"][];
            /** Format: uuid */
            tenant?: string;
        };
        /** @description A node class; null: not known. */
        NodeClassOut: {
            accelerators: number | null;
            /** Format: uuid */
            id: string;
            memory_gib: number | null;
            name: string;
            tdp_w: number | null;
            vendor: string;
        };
        /** @description Everything about a node but its history. */
        NodeDetailOut: {
            address: string;
            allowed: components["schemas"]["AllowedOut"][];
            cluster: components["schemas"]["NamedOut"];
            devices: components["schemas"]["DeviceOut"][];
            domains: components["schemas"]["DomainOut"][];
            firmware: {
                [key: string]: string;
            };
            grade: components["schemas"]["GradeEnum"];
            /** Format: uuid */
            id: string;
            is_spare: boolean;
            name: string;
            node_class: components["schemas"]["NodeClassOut"];
            rack: components["schemas"]["NamedOut"] | null;
            readonly rank_of: components["schemas"]["RankOut"][];
            /** Format: date-time */
            reported_at: string | null;
            reserved_for: string | null;
            source: (components["schemas"]["SourceEnum"] | components["schemas"]["NullEnum"]) | null;
            stale: boolean;
            state: components["schemas"]["NodeStateEnum"];
            /** Format: date-time */
            state_at: string;
            state_reason: string;
            /** Format: uuid */
            tenant: string;
            verdict: components["schemas"]["VerdictOut"];
        };
        /** @description Something that has happened to a node. */
        NodeEventOut: {
            actor: components["schemas"]["ActorOut"];
            after: string;
            /** Format: date-time */
            at: string;
            before: string;
            id: number;
            kind: string;
            reason: string;
        };
        /** @description A node as it is listed. */
        NodeOut: {
            address: string;
            cluster: components["schemas"]["NamedOut"];
            grade: components["schemas"]["GradeEnum"];
            /** Format: uuid */
            id: string;
            is_spare: boolean;
            name: string;
            node_class: components["schemas"]["NodeClassOut"];
            rack: components["schemas"]["NamedOut"] | null;
            readonly rank_of: components["schemas"]["RankOut"][];
            /** Format: date-time */
            reported_at: string | null;
            reserved_for: string | null;
            source: (components["schemas"]["SourceEnum"] | components["schemas"]["NullEnum"]) | null;
            stale: boolean;
            state: components["schemas"]["NodeStateEnum"];
            /** Format: date-time */
            state_at: string;
            state_reason: string;
            /** Format: uuid */
            tenant: string;
        };
        /** @description A node, and how it is now. */
        NodeRefOut: {
            grade: components["schemas"]["GradeEnum"];
            /** Format: uuid */
            id: string;
            name: string;
        };
        /**
         * @description * `active` - active
         *     * `draining` - draining
         *     * `quarantined` - quarantined
         *     * `maintenance` - maintenance
         *     * `retired` - retired
         * @enum {string}
         */
        NodeStateEnum: "active" | "draining" | "quarantined" | "maintenance" | "retired";
        /** @enum {unknown} */
        NullEnum: null;
        /** @description Whether anything is wrong, and whether it needs you. */
        OverviewOut: {
            approvals_waiting_for_me: number;
            /** Format: date-time */
            at: string;
            jobs: components["schemas"]["JobOut"][];
            last_swap: components["schemas"]["SwapSummary"] | null;
            nodes_by_grade: components["schemas"]["GradeCountsOut"];
            spares: components["schemas"]["SparesOut"];
            swaps_open: components["schemas"]["SwapSummary"][];
        };
        /** @description A tenant, and what one is in it. */
        OwnTenant: {
            /** Format: uuid */
            id: string;
            name: string;
            roles: components["schemas"]["RolesEnum"][];
            slug: string;
        };
        PaginatedAgentShownList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["AgentShown"][];
        };
        PaginatedCertificateOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["CertificateOut"][];
        };
        PaginatedClusterOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["ClusterOut"][];
        };
        PaginatedCommandOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["CommandOut"][];
        };
        PaginatedDeliveryOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["DeliveryOut"][];
        };
        PaginatedEntryList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["Entry"][];
        };
        PaginatedFoundJobOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["FoundJobOut"][];
        };
        PaginatedHoldList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["Hold"][];
        };
        PaginatedJobEventOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["JobEventOut"][];
        };
        PaginatedJobOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["JobOut"][];
        };
        PaginatedMemberList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["Member"][];
        };
        PaginatedMemberOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["MemberOut"][];
        };
        PaginatedNodeEventOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["NodeEventOut"][];
        };
        PaginatedNodeOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["NodeOut"][];
        };
        PaginatedRequestList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["Request"][];
        };
        PaginatedSwapEventList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["SwapEvent"][];
        };
        PaginatedSwapSummaryList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["SwapSummary"][];
        };
        PaginatedTenantShownList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["TenantShown"][];
        };
        PaginatedTokenList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["Token"][];
        };
        PaginatedWebhookOutList: {
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cD00ODY%3D"
             */
            next?: string | null;
            /**
             * Format: uri
             * @example http://api.example.org/accounts/?cursor=cj0xJnA9NDg3
             */
            previous?: string | null;
            results: components["schemas"]["WebhookOut"][];
        };
        /** @description Somebody who could decide. */
        Person: {
            id: string;
            name: string;
        };
        /** @description A point of a line; null: a gap. */
        PointOut: {
            /** Format: date-time */
            at: string;
            /** Format: double */
            value: number | null;
        };
        /** @description What went wrong (RFC 9457); some codes have more members. */
        Problem: {
            /** @description Stable; compare it, never the text. */
            code: string;
            /** @description What to do next. */
            detail: string;
            /** @description What is wrong with the request, by the name of the field. */
            fields?: {
                [key: string]: string[];
            };
            status: number;
            title: string;
            type: string;
            /** @description Who may do it instead. */
            who_can?: string[];
        } & {
            [key: string]: unknown;
        };
        /** @description What somebody wants. */
        ProposalRequest: {
            /** Format: uuid */
            job: string;
            rank: number;
            reason: string;
            /** Format: uuid */
            target_node?: string | null;
        };
        /**
         * @description * `unknown` - unknown
         *     * `unprotected` - unprotected
         *     * `catching_up` - catching_up
         *     * `protected` - protected
         * @enum {string}
         */
        ProtectionEnum: "unknown" | "unprotected" | "catching_up" | "protected";
        /** @description A rack with its nodes; null: nobody knows where they stand. */
        RackOut: {
            nodes: components["schemas"]["TileOut"][];
            rack: components["schemas"]["DomainOut"] | null;
            shared: components["schemas"]["DomainOut"][];
        };
        /** @description A rank that a node holds; null: a standby. */
        RankOut: {
            /** Format: uuid */
            job: string;
            job_name: string;
            rank: number | null;
        };
        /** @description A rank. Null: not known. */
        RankRowOut: {
            epoch_from: number | null;
            lag_steps: number | null;
            /** @description Member that owns it. */
            readonly member: string | null;
            readonly mirror: components["schemas"]["StandingOut"] | null;
            mirrors: components["schemas"]["StandingOut"][];
            readonly node: components["schemas"]["NodeRefOut"] | null;
            protection: components["schemas"]["ProtectionEnum"];
            rank: number;
        };
        /** @description Why. */
        ReasonRequest: {
            reason: string;
        };
        /** @description Something with a name. */
        ReferenceOut: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description No, and why. */
        RefuseRequest: {
            plan_digest: string;
            reason: string;
        };
        /** @description One line of the list. */
        Request: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            decided_at?: string | null;
            decided_by: components["schemas"]["ActorField"] | null;
            evidence_digest: string;
            /** Format: date-time */
            executed_at?: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            readonly id: string;
            /** @description Tell whether who asks can decide it now. */
            readonly may_decide: boolean;
            plan_digest: string;
            proposer: components["schemas"]["ActorField"];
            reason?: string;
            /** @default pending */
            state: string;
            /** Format: uuid */
            subject_id: string;
            subject_kind: string;
            summary: string;
            /** Format: uuid */
            tenant: string;
            /** @description Say why who asks can't decide it; null: they can. */
            readonly why_not: string | null;
        };
        /** @description One request with everything that is decided about. */
        RequestDetail: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            decided_at?: string | null;
            decided_by: components["schemas"]["ActorField"] | null;
            document: unknown;
            evidence_digest: string;
            /** Format: date-time */
            executed_at?: string | null;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            readonly id: string;
            /** @description Tell whether who asks can decide it now. */
            readonly may_decide: boolean;
            plan_digest: string;
            proposer: components["schemas"]["ActorField"];
            reason?: string;
            /** @default pending */
            state: string;
            /** Format: uuid */
            subject_id: string;
            subject_kind: string;
            summary: string;
            /** Format: uuid */
            tenant: string;
            readonly who_could: components["schemas"]["Person"][];
            /** @description Say why who asks can't decide it; null: they can. */
            readonly why_not: string | null;
        };
        /**
         * @description * `rank` - rank
         *     * `standby` - standby
         *     * `coordinator` - coordinator
         * @enum {string}
         */
        RoleEnum: "rank" | "standby" | "coordinator";
        /**
         * @description * `viewer` - viewer
         *     * `operator` - operator
         *     * `approver` - approver
         *     * `auditor` - auditor
         *     * `admin` - admin
         * @enum {string}
         */
        RolesEnum: "viewer" | "operator" | "approver" | "auditor" | "admin";
        /** @description The rule that makes grades. */
        RuleBookOut: {
            signals: components["schemas"]["RuleOut"][];
            version: number;
        };
        /** @description Thresholds of a signal. */
        RuleOut: {
            /** Format: double */
            critical: number | null;
            direction: components["schemas"]["DirectionEnum"];
            /** Format: double */
            high: number | null;
            kind: components["schemas"]["SignalKindEnum"];
            /** Format: double */
            medium: number | null;
            name: string;
            origin: string;
            required: boolean;
            unit: string;
        };
        /**
         * @description * `admin` - admin
         *     * `approvals:write` - approvals:write
         *     * `audit:read` - audit:read
         *     * `fleet:write` - fleet:write
         *     * `jobs:write` - jobs:write
         *     * `read` - read
         *     * `swaps:write` - swaps:write
         * @enum {string}
         */
        ScopesEnum: "admin" | "approvals:write" | "audit:read" | "fleet:write" | "jobs:write" | "read" | "swaps:write";
        /**
         * @description * `gauge` - gauge
         *     * `counter` - counter
         * @enum {string}
         */
        SignalKindEnum: "gauge" | "counter";
        /** @description Signals of a node over time. */
        SignalsOut: {
            /** Format: date-time */
            end: string;
            signals: components["schemas"]["LineOut"][];
            /** Format: date-time */
            start: string;
        };
        /** @description Name and password. */
        SignInRequest: {
            password: string;
            username: string;
        };
        /**
         * @description * `measured` - measured
         *     * `simulated` - simulated
         * @enum {string}
         */
        SourceEnum: "measured" | "simulated";
        /** @description Whether a node is kept as a spare. */
        SpareInRequest: {
            is_spare: boolean;
        };
        /** @description What is to be said about a spare that might take over. */
        SpareOut: {
            drawbacks: string[];
            /** Format: uuid */
            id: string;
            name: string;
            refusal: string | null;
        };
        /** @description The reserve of spares against its target. */
        SparesOut: {
            /** Format: double */
            percent: number | null;
            ready: number;
            reserved: number;
            /** Format: double */
            target_percent: number | null;
            unfit: number;
        };
        /** @description A member, and where it runs. */
        StandingOut: {
            member: string;
            node: components["schemas"]["NodeRefOut"] | null;
        };
        /** @description A state for a node, and why. */
        StateInRequest: {
            reason: string;
            state: components["schemas"]["NodeStateEnum"];
        };
        /** @description Why a job is to end. */
        StopInRequest: {
            /** @default  */
            reason: string;
        };
        /** @description One swap with everything about it. */
        Swap: {
            abort_reason?: string;
            readonly allowed: components["schemas"]["SwapAllowed"][];
            /** Format: uuid */
            approval: string | null;
            readonly band: components["schemas"]["SwapBand"] | null;
            /** Format: uuid */
            certificate: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            deadline_at?: string | null;
            /** Format: date-time */
            ended_at?: string | null;
            evidence: unknown;
            evidence_digest?: string;
            failure: components["schemas"]["SwapFailure"] | null;
            /** Format: uuid */
            readonly id: string;
            job: components["schemas"]["SwapJob"];
            kind: string;
            /** @description Return the longest pause that was promised; nobody promises one for a loss. */
            readonly pause_budget_ms: number | null;
            /** Format: double */
            pause_ms?: number | null;
            readonly phases: components["schemas"]["SwapPhase"][];
            readonly plan: components["schemas"]["SwapPlan"] | null;
            /** @description Return what an approval has to name; null: there is no plan. */
            readonly plan_digest: string | null;
            proposer: components["schemas"]["ActorRef"];
            /** Format: int64 */
            rank: number;
            reason?: string;
            runtime_phase?: string;
            /** @description Return the coordinator's id; null: not known yet. */
            readonly runtime_swap_id: string | null;
            source_member?: string;
            readonly source_node: components["schemas"]["SwapNode"] | null;
            /** Format: double */
            stall_ms?: number | null;
            state: string;
            /** Format: date-time */
            state_at: string;
            /** Format: int64 */
            steps_lost?: number | null;
            target_member?: string;
            readonly target_node: components["schemas"]["SwapNode"] | null;
            /** Format: uuid */
            tenant: string;
            waiting_for?: string;
            /** Format: int64 */
            watch_from_step?: number | null;
            /** Format: int64 */
            watch_steps?: number;
        };
        /** @description A button. */
        SwapAllowed: {
            action: string;
            enabled: boolean;
            reason: string | null;
        };
        /** @description The band that the loss has to keep. */
        SwapBand: {
            /** Format: double */
            center: number;
            /** Format: double */
            half_width: number;
            points: number;
            rule: string;
            series: string;
        };
        /** @description One thing that was checked; ``ok`` null: not known. */
        SwapConstraint: {
            name: string;
            ok: boolean | null;
            required: boolean;
            text: string;
        };
        /** @description One line of a swap's history. */
        SwapEvent: {
            action: string;
            actor: components["schemas"]["ActorRef"];
            /** Format: date-time */
            at: string;
            /** Format: date-time */
            deadline_at?: string | null;
            detail?: unknown;
            /** @description Return the state before; null: it is the first. */
            readonly from_state: string | null;
            id: string;
            /** Format: int64 */
            sequence: number;
            to_state: string;
        };
        /** @description Why it did not succeed. */
        SwapFailure: {
            code: string;
            text: string;
        };
        /** @description The job of a swap. */
        SwapJob: {
            /** Format: uuid */
            id: string;
            name: string;
        };
        /** @description A node that a swap touches. */
        SwapNode: {
            grade: string;
            id: string;
            name: string;
        };
        /** @description A state that the swap is or was in. */
        SwapPhase: {
            actor: components["schemas"]["ActorRef"];
            /** Format: date-time */
            deadline_at: string | null;
            /** Format: date-time */
            entered_at: string;
            /** Format: date-time */
            left_at: string | null;
            state: string;
        };
        /** @description The plan in words, and the document that is approved by its digest. */
        SwapPlan: {
            blast_radius: string | null;
            constraints: components["schemas"]["SwapConstraint"][];
            document: unknown;
            reservation: string;
        };
        /** @description One line of the list. */
        SwapSummary: {
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            deadline_at?: string | null;
            /** Format: date-time */
            ended_at?: string | null;
            /** Format: uuid */
            readonly id: string;
            job: components["schemas"]["SwapJob"];
            kind: string;
            /** @description Return the longest pause that was promised; nobody promises one for a loss. */
            readonly pause_budget_ms: number | null;
            /** Format: double */
            pause_ms?: number | null;
            proposer: components["schemas"]["ActorRef"];
            /** Format: int64 */
            rank: number;
            reason?: string;
            readonly source_node: components["schemas"]["SwapNode"] | null;
            /** Format: double */
            stall_ms?: number | null;
            state: string;
            /** Format: date-time */
            state_at: string;
            /** Format: int64 */
            steps_lost?: number | null;
            readonly target_node: components["schemas"]["SwapNode"] | null;
            /** Format: uuid */
            tenant: string;
        };
        /** @description A tenant. */
        TenantShown: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: uuid */
            readonly id: string;
            readonly name: string;
            readonly slug: string;
        };
        /** @description Where a signal's grades begin; null: never. */
        ThresholdsOut: {
            /** Format: double */
            critical: number | null;
            direction: components["schemas"]["DirectionEnum"];
            /** Format: double */
            high: number | null;
            kind: components["schemas"]["SignalKindEnum"];
            /** Format: double */
            medium: number | null;
            origin: string;
        };
        /** @description A node, as far as a picture of its cluster shows it. */
        TileOut: {
            grade: components["schemas"]["GradeEnum"];
            /** Format: uuid */
            id: string;
            is_spare: boolean;
            name: string;
            readonly rank_of: components["schemas"]["RankOut"][];
            /** Format: date-time */
            reported_at: string | null;
            reserved_for: string | null;
            source: (components["schemas"]["SourceEnum"] | components["schemas"]["NullEnum"]) | null;
            stale: boolean;
            state: components["schemas"]["NodeStateEnum"];
        };
        /** @description A token, without what it was when it was made. */
        Token: {
            /** Format: date-time */
            readonly created_at: string;
            /** Format: date-time */
            readonly expires_at: string | null;
            /** Format: uuid */
            readonly id: string;
            /** Format: date-time */
            readonly last_used_at: string | null;
            readonly name: string;
            owner: string;
            readonly prefix: string;
            /** Format: date-time */
            readonly revoked_at: string | null;
            scopes: string[];
            /** Format: uuid */
            readonly tenant: string;
        };
        /** @description Why a node has its grade. */
        VerdictOut: {
            contributions: components["schemas"]["ContributionOut"][];
            grade: components["schemas"]["GradeEnum"];
            reason: string;
            rule_version: number;
        };
        /** @description What a look at a whole chain has found. */
        VerdictShown: {
            entries: number;
            first_bad: number | null;
            head: components["schemas"]["HeadShown"] | null;
            ok: boolean;
            problem: string;
            /** Format: uuid */
            tenant: string;
        };
        /** @description Which chain, and what is known of it. */
        VerifyAskedRequest: {
            known?: components["schemas"]["KnownEntryRequest"][];
            /** Format: uuid */
            tenant?: string;
        };
        /** @description What makes a webhook. */
        WebhookInRequest: {
            kinds?: string[];
            /** Format: uuid */
            tenant?: string | null;
            url: string;
        };
        /** @description A webhook as its maker sees it, once. */
        WebhookMadeOut: {
            /** Format: date-time */
            created_at: string;
            creator: string;
            /** Format: uuid */
            readonly id: string;
            kinds: string[];
            secret: string;
            /** Format: uuid */
            tenant: string;
            url: string;
        };
        /** @description A webhook as it is listed. */
        WebhookOut: {
            /** Format: date-time */
            created_at: string;
            creator: string;
            /** Format: uuid */
            readonly id: string;
            kinds: string[];
            /** Format: uuid */
            tenant: string;
            url: string;
        };
        /**
         * @description * `class` - class
         *     * `domain` - domain
         *     * `node` - node
         * @enum {string}
         */
        WhatEnum: "class" | "domain" | "node";
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    agents_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                node?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
                unrevoked?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedAgentShownList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    agents_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentShown"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    agents_revoke_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReasonRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentShown"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approvals_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                /** @description Only those that you can decide now. */
                mine?: boolean;
                state?: string;
                subject?: string;
                subject_kind?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedRequestList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approvals_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestDetail"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approvals_approve_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestDetail"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approvals_refuse_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefuseRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RequestDetail"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audit_list: {
        parameters: {
            query?: {
                action?: string;
                actor?: string;
                actor_name?: string;
                /** @description The pagination cursor value. */
                cursor?: string;
                from?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                subject?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedEntryList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    audit_verify_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["VerifyAskedRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerdictShown"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cluster_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedClusterOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cluster_layout: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LayoutOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enrol_tokens_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewEnrolTokenRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeEnrolToken"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fleet_import: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FleetInRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    fleet_rule: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleBookOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_list: {
        parameters: {
            query?: {
                attached?: string;
                cluster?: string;
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                protection?: string;
                search?: string;
                state?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedJobOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_submit: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["JobInRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_certificate_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                swap?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedCertificateOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_certificate_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                certificate: string;
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CertificateOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_command_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                kind?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                node?: string;
                state?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedCommandOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_event_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                epoch?: string;
                kind?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                member?: string;
                rank?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedJobEventOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_loss: {
        parameters: {
            query?: {
                from_step?: number;
                max_points?: number;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CurveOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_member_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                node?: string;
                role?: string;
                state?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedMemberOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_ranks: {
        parameters: {
            query?: {
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RankRowOut"][];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_stop: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["StopInRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_export: {
        parameters: {
            query?: {
                format?: "csv" | "json";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    found_job_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                node?: string;
                search?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedFoundJobOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    job_attach: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    members_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
                username?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedMemberList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    members_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewMemberRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    members_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    members_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    node_list: {
        parameters: {
            query?: {
                class?: string;
                cluster?: string;
                /** @description The pagination cursor value. */
                cursor?: string;
                grade?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                rack?: string;
                search?: string;
                spare?: string;
                state?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedNodeOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    node_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeDetailOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    node_event_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedNodeEventOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    node_signals: {
        parameters: {
            query?: {
                from?: string;
                to?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignalsOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    node_spare_set: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SpareInRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeDetailOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    node_spares: {
        parameters: {
            query?: {
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpareOut"][];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    node_state_change: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StateInRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeDetailOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    node_export: {
        parameters: {
            query?: {
                format?: "csv" | "json";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    overview: {
        parameters: {
            query?: {
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OverviewOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search: {
        parameters: {
            query: {
                /** @description Part of a name, or an id. */
                q: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HitOut"][];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    session_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                job?: string;
                kind?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                /** @description Only those that touch this node. */
                node?: string;
                rank?: string;
                state?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedSwapSummaryList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProposalRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Swap"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Swap"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_abort_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AbortRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Swap"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_certificate_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Certificate"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_events_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedSwapEventList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_brake_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Brake"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_brake_update: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BrakeWishRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Brake"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_holds_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                job?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                open?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedHoldList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_holds_release_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hold"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_limits_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    swaps_limits_update: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["LimitsRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Limits"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tenants_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedTenantShownList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tokens_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                name?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedTokenList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tokens_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTokenRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MadeToken"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tokens_retrieve: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    tokens_destroy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhook_list: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedWebhookOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhook_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same body has the same answer, and is done once. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookInRequest"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookMadeOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhook_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookOut"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhook_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No response body */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    webhook_deliveries: {
        parameters: {
            query?: {
                /** @description The pagination cursor value. */
                cursor?: string;
                kind?: string;
                /** @description Number of results to return per page. */
                limit?: number;
                state?: string;
                /** @description Only what belongs to this tenant. */
                tenant?: string;
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PaginatedDeliveryOutList"];
                };
            };
            /** @description It was not done. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
