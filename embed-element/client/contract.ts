/** Made from openapi.json: `npm run test:unit -- tests/repository/engine.test.ts -u`. */
export interface paths {
    "/api/embed/storage/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List what happened to a file, or in a folder, newest first */
        post: operations["listFileActivity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/change-times": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List when something changed below a folder */
        post: operations["listChangeTimes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Tell what changes directly in a folder, as a stream of server-sent events */
        get: operations["followFolder"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Copy files and folders into a folder */
        post: operations["copyItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/create-folder": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create an empty folder */
        post: operations["createFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete files and folders */
        post: operations["deleteItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/deleted": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List what was deleted below a folder */
        post: operations["listDeletedFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/diagnose": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find out why a browser could not reach the object store */
        post: operations["diagnoseStorage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List one page of a folder */
        post: operations["listFolder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Move or rename files and folders */
        post: operations["moveItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/multipart/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Discard an upload */
        post: operations["abortMultipartUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/multipart/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Assemble the parts into a file */
        post: operations["completeMultipartUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/multipart/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Begin a multipart upload */
        post: operations["createMultipartUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/multipart/find": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find an unfinished multipart upload */
        post: operations["findMultipartUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/multipart/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List the parts that have arrived */
        post: operations["listUploadParts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/multipart/sign": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Presign parts of an upload */
        post: operations["signUploadParts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/presign-download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Presign one download */
        post: operations["presignDownload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/presign-downloads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Presign several downloads */
        post: operations["presignDownloads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/presign-upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Presign one upload */
        post: operations["presignUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/purge": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Permanently delete older versions */
        post: operations["purgeVersions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/quota": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tell how much of its quota a token has used */
        post: operations["readQuota"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/recent": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List the files that were added last */
        post: operations["listRecentFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Undo a change, or make older versions the newest again */
        post: operations["restoreItems"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Find files and folders below a folder by their names */
        post: operations["searchFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/sizes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Tell how many files are in folders, and how large they are together */
        post: operations["readFolderSizes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/take-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete a file that the same visit has handed in */
        post: operations["takeBackUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/uploaded": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Record files that were uploaded by presigned URLs */
        post: operations["confirmUploads"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/embed/storage/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** List the versions of a file */
        post: operations["listVersions"];
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
        Failure: {
            /** @description a sentence for a person */
            error: string;
            /** @description for a program; stable */
            code?: string;
            issues?: {
                path: string;
                message: string;
            }[];
        };
        VisibleEvent: components["schemas"]["VisibleFileEvent"] | components["schemas"]["VisibleEmailEvent"] | components["schemas"]["VisibleDatabaseEvent"];
        /** @description `key` is empty if the file is now outside of what the token reaches */
        VisibleFileEvent: {
            /** @description UUID version 7 */
            id: string;
            /** @description ISO 8601, UTC */
            occurredAt: string;
            /** @description `{ id, name? }` as in the token */
            visitor: {
                id: string;
                name?: string;
            } | null;
            /**
             * @description `store` if the bucket's own notification told us
             * @enum {string}
             */
            source: "service" | "store";
            /** @enum {string} */
            type: "file.uploaded" | "file.download_signed" | "file.copied" | "file.moved" | "file.deleted" | "file.restored" | "file.purged" | "folder.created";
            subject: {
                bucket: string;
                /** @description of a folder, it ends with a slash */
                key: string;
            };
            /** @description what else is known, by type */
            data: {
                /** @description bytes */
                size?: number;
                /** @description as the store writes it, with its quotes */
                etag?: string;
                /** @description of the object: algorithm and value, as the store says them */
                checksum?: string;
                contentType?: string;
                /** @description the id of the version or delete marker that was created; for file.purged, of the version that was deleted */
                version?: string;
                /** @description of file.restored: the older version that was copied to make it the newest again */
                fromVersion?: string;
                /** @description of file.moved: the version that was there before an earlier move, and was brought back; no version was created */
                restoredVersion?: string;
                /** @description the key of the source, in the same bucket */
                from?: string;
                /**
                 * @description of file.moved: the server was interrupted, and all that the store shows is that the source is gone
                 * @constant
                 */
                assumed?: true;
                /** @enum {string} */
                disposition?: "attachment" | "inline";
                /**
                 * @description what the caller said that the URL is for
                 * @constant
                 */
                purpose?: "thumbnail";
            } & {
                [key: string]: unknown;
            };
        };
        VisibleEmailEvent: {
            /** @description UUID version 7 */
            id: string;
            /** @description ISO 8601, UTC */
            occurredAt: string;
            /** @description `{ id, name? }` as in the token */
            visitor: {
                id: string;
                name?: string;
            } | null;
            /**
             * @description `store` if the bucket's own notification told us
             * @enum {string}
             */
            source: "service" | "store";
            /** @enum {string} */
            type: "email.sent" | "email.delivered" | "email.bounced" | "email.complained" | "email.opened" | "email.clicked" | "email.unsubscribed";
            subject: {
                campaignId?: string;
                /** @description in lower case; empty once it has been erased */
                recipient: string;
            };
            /** @description what else is known, by type */
            data: {
                /** @description the mail provider's id of the message */
                messageId?: string;
                /** @enum {string} */
                bounceType?: "permanent" | "transient" | "undetermined";
                /** @description the site whose campaigns the recipient no longer gets */
                site?: string;
            } & {
                [key: string]: unknown;
            };
        };
        VisibleDatabaseEvent: {
            /** @description UUID version 7 */
            id: string;
            /** @description ISO 8601, UTC */
            occurredAt: string;
            /** @description `{ id, name? }` as in the token */
            visitor: {
                id: string;
                name?: string;
            } | null;
            /**
             * @description `store` if the bucket's own notification told us
             * @enum {string}
             */
            source: "service" | "store";
            /** @enum {string} */
            type: "database.created" | "database.deleted" | "database.restored";
            subject: {
                databaseId: string;
            };
            data: {
                name?: string;
                region?: string;
            } & {
                [key: string]: unknown;
            };
        };
        ListFileActivityRequest: {
            token: string;
            bucket: string;
            /** @description of a file */
            key?: string;
            folderPath?: string;
            /** @description from the response before, with the same filters */
            cursor?: string;
            /** @description default: 50 */
            limit?: number;
        };
        ListFileActivityResponse: {
            events: components["schemas"]["VisibleEvent"][];
            /** @description for the next page; null at the end */
            cursor: string | null;
        };
        ListChangeTimesRequest: {
            token: string;
            bucket: string;
            folderPath?: string;
            /**
             * Format: date-time
             * @description the first moment; RFC 3339
             */
            from: string;
            /**
             * Format: date-time
             * @description the moment after the last; RFC 3339
             */
            to: string;
            cursor?: string;
        };
        ListChangeTimesResponse: {
            /** @description the minutes in which something changed, in their order; those of another response may be between them */
            times: string[];
            /** @description send it to continue; null if there is no more */
            cursor: string | null;
        };
        CopyItemsRequest: {
            token: string;
            bucket: string;
            /** @description files and folders, in any order */
            items: ({
                key: string;
            } | {
                folderPath: string;
            })[];
            /** @description the folder to put them in */
            to: string;
            /** @description the new name; for a single item only */
            name?: string;
            /** @enum {string} */
            onConflict: "fail" | "replace" | "keep-both";
            /** @description from the previous response to the same request */
            cursor?: string;
            /** @description with a cursor: stop, and discard the parts of a large object; default: false */
            stop?: boolean;
        };
        CopyItemsResponse: {
            /** @description objects changed by this request; a folder that somebody created counts as one */
            done: number;
            /** @description objects that were not changed; the key of a missing folder ends with a slash */
            failed: {
                key: string;
                /** @enum {string} */
                code: "name_taken" | "not_found" | "name_too_long" | "too_large" | "quota_exceeded" | "upload_conflict" | "being_checked" | "blocked" | "provider_failed";
            }[];
            /** @description items whose name is taken, as they were requested; in this case nothing was changed */
            conflicts: {
                name: string;
                key?: string;
                folderPath?: string;
            }[];
            /** @description with keep-both: items that get another name, as they were requested, and that name */
            renamed?: {
                name: string;
                key?: string;
                folderPath?: string;
            }[];
            /** @description send it with the same request to continue; null when everything is done */
            cursor: string | null;
            /** @description of copy: removes what this response has created; absent with replace, or without `delete` */
            undo?: string;
        };
        CreateFolderRequest: {
            token: string;
            bucket: string;
            folderPath: string;
            name: string;
        };
        CreateFolderResponse: {
            /** @description starts with /, does not end with one */
            path: string;
            /** @description removes the folder while it is empty; absent where it existed, or without `delete` */
            undo?: string;
        };
        DeleteItemsRequest: {
            token: string;
            bucket: string;
            /** @description files and folders, in any order */
            items: ({
                key: string;
            } | {
                folderPath: string;
            })[];
            /** @description change nothing, and tell whether it could be undone; default: false */
            check?: boolean;
            /** @description from the previous response to the same request */
            cursor?: string;
        };
        DeleteItemsResponse: {
            /** @description objects changed by this request; a folder that somebody created counts as one */
            done: number;
            /** @description objects that were not changed; the key of a missing folder ends with a slash */
            failed: {
                key: string;
                /** @enum {string} */
                code: "name_taken" | "not_found" | "name_too_long" | "too_large" | "quota_exceeded" | "upload_conflict" | "being_checked" | "blocked" | "provider_failed";
            }[];
            /** @description send it with the same request to continue; null when everything is done */
            cursor: string | null;
            /** @description restores what this response counts; null where nothing can be restored */
            undo: string | null;
            /** @description the bucket keeps versions */
            undoable: boolean;
        };
        ListDeletedFilesRequest: {
            token: string;
            bucket: string;
            folderPath?: string;
            cursor?: string;
        };
        ListDeletedFilesResponse: {
            /** @description in the order of their keys, subfolders included; without files that were moved, if the move was recorded */
            files: {
                /** @description the key of an empty folder ends with a slash */
                key: string;
                name: string;
                /** @description the folder that contained it */
                folderPath: string;
                /** @description the last version before the deletion; send it to `restore` */
                versionId: string;
                /** @description bytes */
                size: number;
                /** Format: date-time */
                deletedAt: string;
                /** @description who did it, if the recorded event names a visitor */
                visitor?: {
                    id: string;
                    name?: string;
                };
            }[];
            /** @description of the folders between `folderPath` and the files, those in which something still is, without the folders around them; the next responses may name more */
            existingFolders: string[];
            /** @description send it to continue; null if there is no more */
            cursor: string | null;
        };
        DiagnoseStorageRequest: {
            token: string;
            bucket: string;
            /** @enum {string} */
            operation: "upload" | "download";
        };
        DiagnoseStorageResponse: {
            /** @description null: the store works, so the cause is between it and the browser */
            problem: ("store_unreachable" | "store_busy" | "store_refused" | "bucket_not_found" | "clock_skewed" | "cors_missing") | null;
            /** @description for the operator; on a developer's machine only */
            advice?: string;
        };
        ListFolderRequest: {
            token: string;
            bucket: string;
            folderPath?: string;
            cursor?: string;
            /** @description default: 200 */
            pageSize?: number;
            /**
             * Format: date-time
             * @description list the folder as it was then; RFC 3339
             */
            at?: string;
            /**
             * @description of the files, where the bucket has a catalogue; the default, and without one, is by key
             * @enum {string}
             */
            order?: "newest" | "oldest" | "largest" | "smallest";
        };
        FolderEntry: {
            /** @description may be empty, or have any character but / */
            name: string;
            /** @description starts with /, and ends with one only if the name is empty */
            path: string;
        };
        FileEntry: {
            /** @description ends with / for the content of the folder's own object */
            name: string;
            /** @description the S3 key */
            key: string;
            /** @description bytes */
            size: number;
            /** Format: date-time */
            lastModified: string;
            etag: string;
            /** @description only with `at` */
            versionId?: string;
        };
        ListFolderResponse: {
            folders: components["schemas"]["FolderEntry"][];
            files: components["schemas"]["FileEntry"][];
            /** @description pass as cursor for the next page; null on the last page */
            nextCursor: string | null;
            /**
             * @description false where nothing in the bucket has this path or is below it; otherwise absent
             * @constant
             */
            exists?: false;
            /**
             * @description only with `order`. store: the order could not be kept, and is by key
             * @enum {string}
             */
            source?: "catalogue" | "store";
            /**
             * Format: date-time
             * @description only of a catalogue: what others had changed until then is in the list
             */
            asOf?: string;
        };
        MoveItemsRequest: {
            token: string;
            bucket: string;
            /** @description files and folders, in any order */
            items: ({
                key: string;
            } | {
                folderPath: string;
            })[];
            /** @description the folder to put them in */
            to: string;
            /** @description the new name; for a single item only */
            name?: string;
            /** @enum {string} */
            onConflict: "fail" | "replace" | "keep-both";
            /** @description from the previous response to the same request */
            cursor?: string;
            /** @description with a cursor: stop, and discard the parts of a large object; default: false */
            stop?: boolean;
        };
        MoveItemsResponse: {
            /** @description objects changed by this request; a folder that somebody created counts as one */
            done: number;
            /** @description objects that were not changed; the key of a missing folder ends with a slash */
            failed: {
                key: string;
                /** @enum {string} */
                code: "name_taken" | "not_found" | "name_too_long" | "too_large" | "quota_exceeded" | "upload_conflict" | "being_checked" | "blocked" | "provider_failed";
            }[];
            /** @description items whose name is taken, as they were requested; in this case nothing was changed */
            conflicts: {
                name: string;
                key?: string;
                folderPath?: string;
            }[];
            /** @description with keep-both: items that get another name, as they were requested, and that name */
            renamed?: {
                name: string;
                key?: string;
                folderPath?: string;
            }[];
            /** @description send it with the same request to continue; null when everything is done */
            cursor: string | null;
            /** @description of copy: removes what this response has created; absent with replace, or without `delete` */
            undo?: string;
        };
        AbortMultipartUploadRequest: {
            token: string;
            /** @description as multipart/create returned it */
            upload: string;
        };
        AbortMultipartUploadResponse: {
            /** @description false if the upload is complete: the file is there, and stays */
            aborted: boolean;
        };
        CompleteMultipartUploadRequest: {
            token: string;
            /** @description as multipart/create returned it */
            upload: string;
            /** @description base64, by the algorithm that multipart/create returned */
            checksum?: string;
            /** @description overrides ifNoneMatch of multipart/create */
            overwrite?: boolean;
        };
        CompleteMultipartUploadResponse: {
            bucket: string;
            key: string;
            /** @description bytes */
            size: number;
            etag: string;
            /** @description for take-back, for one day; only with the token of a hand-in page */
            takeBack?: string;
        };
        CreateMultipartUploadRequest: {
            token: string;
            bucket: string;
            folderPath: string;
            fileName: string;
            contentType: string;
            /** @description default: false */
            ifNoneMatch?: boolean;
            size: number;
        };
        CreateMultipartUploadResponse: {
            /** @description identifies the upload, with any token of the same company, for seven days */
            upload: string;
            key: string;
            /** @description bytes; the last part has the rest */
            partSize: number;
            partCount: number;
            /** @description null where the store supports none of them */
            checksum: ("CRC64NVME" | "CRC32") | null;
            /** @description which of the two the store compares the bytes with; null where it compares neither */
            integrity: ("checksum" | "contentMd5") | null;
        };
        FindMultipartUploadRequest: {
            token: string;
            bucket: string;
            folderPath: string;
            fileName: string;
            contentType: string;
            /** @description default: false */
            ifNoneMatch?: boolean;
            size: number;
        };
        FindMultipartUploadResponse: {
            /** @description identifies the upload, with any token of the same company, for seven days */
            upload: string;
            key: string;
            /** @description bytes; the last part has the rest */
            partSize: number;
            partCount: number;
            /** @description null where the store supports none of them */
            checksum: ("CRC64NVME" | "CRC32") | null;
            /** @description which of the two the store compares the bytes with; null where it compares neither */
            integrity: ("checksum" | "contentMd5") | null;
            /** @description bytes of the parts that the store has */
            arrived: number;
            /** @description the token names no visitor, so another customer of the same API key may have begun it */
            ownerUnknown: boolean;
        } | {
            upload: null;
        };
        ListUploadPartsRequest: {
            token: string;
            /** @description as multipart/create returned it */
            upload: string;
        };
        ListUploadPartsResponse: {
            parts: {
                number: number;
                /** @description bytes */
                size: number;
                checksum?: string;
            }[];
        };
        SignUploadPartsRequest: {
            token: string;
            /** @description as multipart/create returned it */
            upload: string;
            parts: {
                number: number;
                /** @description base64, by the algorithm that multipart/create returned */
                checksum?: string;
                /** @description of the bytes; the store refuses others */
                contentMd5?: string;
            }[];
        };
        SignUploadPartsResponse: {
            parts: {
                number: number;
                url: string;
                /** @description to be sent as they are */
                headers: {
                    [key: string]: string;
                };
            }[];
            /** @description unix seconds */
            expiresAt: number;
            /** @description unix seconds */
            serverTime: number;
        };
        PresignDownloadRequest: {
            token: string;
            bucket: string;
            key: string;
            /** @description of an older version, as versions, deleted and list with `at` return it */
            versionId?: string;
            /**
             * @description default: "attachment"
             * @enum {string}
             */
            disposition?: "inline" | "attachment";
        } | {
            token: string;
            bucket: string;
            folderPath: string;
            fileName: string;
            /**
             * @description default: "attachment"
             * @enum {string}
             */
            disposition?: "inline" | "attachment";
        };
        PresignDownloadResponse: {
            url: string;
            /** @constant */
            method: "GET";
            bucket: string;
            key: string;
            /** @description unix seconds */
            expiresAt: number;
        };
        PresignDownloadsRequest: {
            token: string;
            bucket: string;
            keys: (string | {
                key: string;
                /** @description of an older version, as versions, deleted and list with `at` return it */
                versionId: string;
            })[];
            /**
             * @description default: "attachment"
             * @enum {string}
             */
            disposition?: "inline" | "attachment";
            /**
             * @description what the URLs are for, in the words of the record
             * @constant
             */
            purpose?: "thumbnail";
            /** @description sign nothing, and tell which files could be downloaded; without `download`, which have the tag that the token requires; default: false */
            check?: boolean;
        };
        PresignDownloadsResponse: {
            /** @description in the order of the keys */
            downloads: ({
                key: string;
                url: string;
            } | {
                key: string;
                /** @description a code, like scope_not_allowed */
                error: string;
            } | {
                key: string;
            })[];
            /** @description unix seconds */
            expiresAt: number;
        };
        PresignUploadRequest: {
            token: string;
            bucket: string;
            folderPath: string;
            fileName: string;
            contentType: string;
            /** @description default: false */
            ifNoneMatch?: boolean;
            size?: number;
            /** @description of the file; the store refuses other content */
            checksum?: {
                /** @enum {string} */
                algorithm: "CRC64NVME" | "CRC32";
                value: string;
            };
            /** @description of the bytes; the store refuses others */
            contentMd5?: string;
            /** @description for the token of a hand-in page: as returned for the same file, to send it again */
            receipt?: string;
        };
        PresignUploadResponse: {
            url: string;
            /** @constant */
            method: "PUT";
            /** @description to be sent as they are: they are part of the signature */
            headers: {
                [key: string]: string;
            };
            bucket: string;
            key: string;
            /** @description which of the two the store compares the bytes with; null where it compares neither */
            integrity: ("checksum" | "contentMd5") | null;
            /** @description unix seconds */
            expiresAt: number;
            /** @description names this upload, for one day; only with the token of a hand-in page */
            receipt?: string;
        };
        PurgeVersionsRequest: {
            token: string;
            bucket: string;
            items: {
                key: string;
                /** @description if missing: all versions of a deleted file */
                versionId?: string;
            }[];
            /** @description from the previous response to the same request */
            cursor?: string;
        };
        PurgeVersionsResponse: {
            /** @description number of versions that were permanently deleted */
            purged: number;
            /** @description number of items of which nothing is left that was to be deleted */
            done: number;
            /** @description is_latest: it is the current content of the file, so delete the file first; not_found: it is a delete marker */
            failed: {
                key: string;
                versionId?: string;
                /** @enum {string} */
                code: "is_latest" | "not_found" | "provider_failed";
            }[];
            /** @description send it to continue; null if there is no more */
            cursor: string | null;
        };
        ReadQuotaRequest: {
            token: string;
            bucket: string;
        };
        ReadQuotaResponse: {
            /** @description null: the token has no quota, or one of which it may not know how full it is, or nobody can tell */
            quota: {
                /** @description what the folders hold, with what was signed and may still arrive; at times above maxBytes */
                usedBytes: number;
                /** @description how much they may hold */
                maxBytes: number;
            } | null;
        };
        ListRecentFilesRequest: {
            token: string;
            bucket: string;
        };
        RecentFile: {
            /** @description ends with / for the content of the folder's own object */
            name: string;
            /** @description the S3 key */
            key: string;
            /** @description bytes */
            size: number;
            /** Format: date-time */
            lastModified: string;
            etag: string;
            /** @description only with `at` */
            versionId?: string;
            /**
             * Format: date-time
             * @description when it was uploaded, copied here, or moved here from outside
             */
            addedAt: string;
            /** @description who added it, if that is known; only with `activity` */
            visitor?: {
                id: string;
                name?: string;
            };
        };
        ListRecentFilesResponse: {
            /** @description the last one added comes first */
            files: components["schemas"]["RecentFile"][];
            /** @description false if not everything could be looked at: files may be missing */
            complete: boolean;
        };
        RestoreItemsRequest: {
            token: string;
            bucket: string;
            /** @description as delete, copy, create-folder or restore returned it */
            undo: string;
        } | {
            token: string;
            bucket: string;
            items: {
                key: string;
                /** @description of an older version, as versions, deleted and list with `at` return it */
                versionId: string;
            }[];
            /**
             * @description if the file exists: leave it, make the version its newest, or restore under a numbered name
             * @enum {string}
             */
            onConflict: "fail" | "replace" | "keep-both";
            /** @description from the previous response to the same request */
            cursor?: string;
        };
        RestoreItemsResponse: {
            /** @description objects that were brought back, or removed */
            restored: number;
            /** @description with items: how many of the restored ones had that content already, so that nothing was done */
            unchanged?: number;
            /** @description objects that were left as they are; name_taken: a newer file has the name; would_be_lost: the bucket would not keep the present content */
            failed: {
                key: string;
                /** @enum {string} */
                code: "name_taken" | "not_found" | "name_too_long" | "too_large" | "quota_exceeded" | "upload_conflict" | "being_checked" | "blocked" | "provider_failed" | "changed" | "not_empty" | "would_be_lost";
            }[];
            /** @description with keep-both: what got another name, and that name */
            renamed?: {
                key: string;
                name: string;
            }[];
            /** @description send it with the same request to continue; null when everything is done */
            cursor: string | null;
            /** @description with items: deletes again what this response has put where nothing was, and brings back what it has replaced; absent without `delete` */
            undo?: string;
        };
        SearchFilesRequest: {
            token: string;
            bucket: string;
            folderPath?: string;
            /** @description words that a name must contain, in any order; case, accents and Unicode form do not matter. Empty: all files that the other members describe */
            query: string;
            /** @description only files of these kinds, as their names end; no folders */
            kinds?: ("image" | "pdf" | "text" | "code" | "table" | "document" | "slides" | "video" | "audio" | "archive")[];
            /**
             * Format: date-time
             * @description only files that were last modified at this time or later; RFC 3339; no folders
             */
            modifiedAfter?: string;
            /**
             * Format: date-time
             * @description only files that were last modified before this time; RFC 3339; no folders
             */
            modifiedBefore?: string;
            /** @description only files of at least this many bytes; no folders */
            minSize?: number;
            /** @description only files of at most this many bytes; no folders */
            maxSize?: number;
            cursor?: string;
        };
        SearchFilesResponse: {
            files: components["schemas"]["FileEntry"][];
            folders: components["schemas"]["FolderEntry"][];
            /** @description number of files whose names this request has compared; of a catalogue, those that its index named */
            scanned: number;
            /**
             * @description what was asked: the bucket's catalogue, or the store by listing it
             * @enum {string}
             */
            source: "catalogue" | "store";
            /**
             * Format: date-time
             * @description what had been changed until then was looked at; later changes may be missing
             */
            asOf: string;
            /** @description send it to continue; null when the search is complete */
            cursor: string | null;
        };
        ReadFolderSizesRequest: {
            token: string;
            bucket: string;
            folderPaths: string[];
            /** @description count for up to three seconds, instead of a tenth of one; default: false */
            thorough?: boolean;
        };
        ReadFolderSizesResponse: {
            /**
             * @description store: the bucket has no catalogue that can be asked, so no size is known
             * @enum {string}
             */
            source: "catalogue" | "store";
            /** @description what others had changed until then is in the sizes; null without a catalogue */
            asOf: string | null;
            /** @description in the order of the paths; null: not known, or not in that time */
            sizes: ({
                /** @description in the folder and below it */
                files: number;
                bytes: number;
            } | null)[];
        };
        TakeBackUploadRequest: {
            token: string;
            /** @description as uploaded or multipart/complete returned it */
            takeBack: string;
        };
        TakeBackUploadResponse: {
            /** @description false if the file is no longer there, or is another one now */
            removed: boolean;
        };
        ConfirmUploadsRequest: {
            token: string;
            bucket: string;
            /** @description files that were uploaded by presigned URLs */
            keys?: string[];
            /** @description instead of keys, with the token of a hand-in page: as presign-upload returned them */
            receipts?: string[];
        };
        ConfirmUploadsResponse: {
            /** @description those that the store has, and that we signed */
            uploaded: {
                key: string;
                /** @description bytes */
                size: number;
                etag: string;
                /** @description for take-back, for one day; only with the token of a hand-in page */
                takeBack?: string;
            }[];
        };
        ListVersionsRequest: {
            token: string;
            bucket: string;
            key: string;
            cursor?: string;
        };
        ListVersionsResponse: {
            /** @description newest first */
            versions: {
                versionId: string;
                /** @description bytes */
                size: number;
                /** Format: date-time */
                lastModified: string;
                /** @description whether it is the current content of the file; false for all versions of a deleted file */
                isLatest: boolean;
                /** @description who did it, if the recorded event names a visitor */
                visitor?: {
                    id: string;
                    name?: string;
                };
            }[];
            /** @description send it to continue; null if there is no more */
            cursor: string | null;
        };
    };
    responses: {
        /** @description rate_limited */
        RateLimited: {
            headers: {
                /** @description seconds after which to try again */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description method_not_allowed */
        MethodNotAllowed: {
            headers: {
                /** @description the methods of this address */
                Allow?: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description internal */
        Internal: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description unavailable */
        Unavailable: {
            headers: {
                /** @description seconds after which to try again, if they are known */
                "Retry-After"?: number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description request_timeout */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description body_too_large */
        BodyTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description unsupported_media_type */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
        /** @description not_found */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listFileActivity: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListFileActivityRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListFileActivityResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listChangeTimes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListChangeTimesRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListChangeTimesResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    followFolder: {
        parameters: {
            query: {
                bucket: string;
                folderPath?: string;
                /** @description the last `id`; without it, the last two minutes are told */
                after?: string;
                /** @description tell of everything below the folder, too, as a search does */
                below?: "true";
                /** @description tell what has happened so far, and end */
                once?: "true";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    copyItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CopyItemsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CopyItemsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, type_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description upload_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    createFolder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateFolderRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateFolderResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description upload_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    deleteItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteItemsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeleteItemsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description upload_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    listDeletedFiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListDeletedFilesRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListDeletedFilesResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    diagnoseStorage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DiagnoseStorageRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiagnoseStorageResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listFolder: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListFolderRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListFolderResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    moveItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveItemsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MoveItemsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, type_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description upload_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    abortMultipartUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AbortMultipartUploadRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AbortMultipartUploadResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, too_large, type_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description upload_not_found, bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    completeMultipartUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CompleteMultipartUploadRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CompleteMultipartUploadResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, too_large, type_not_allowed, quota_exceeded */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description upload_not_found, bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description upload_incomplete, upload_conflict, checksum_mismatch, name_taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    createMultipartUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateMultipartUploadRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreateMultipartUploadResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, too_large, type_not_allowed, quota_exceeded */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description name_taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    findMultipartUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FindMultipartUploadRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FindMultipartUploadResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, too_large, type_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    listUploadParts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListUploadPartsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListUploadPartsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, too_large, type_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description upload_not_found, bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    signUploadParts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignUploadPartsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignUploadPartsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, too_large, type_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description upload_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    presignDownload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresignDownloadRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresignDownloadResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, blocked */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description not_found, bucket_not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description being_checked, not_addressable */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    presignDownloads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresignDownloadsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresignDownloadsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    presignUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PresignUploadRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresignUploadResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed, too_large, type_not_allowed, quota_exceeded */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description upload_not_found, bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description name_taken */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    purgeVersions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PurgeVersionsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PurgeVersionsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description upload_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    readQuota: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadQuotaRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadQuotaResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    listRecentFiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListRecentFilesRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListRecentFilesResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    restoreItems: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreItemsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoreItemsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description upload_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    searchFiles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SearchFilesRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchFilesResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    readFolderSizes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadFolderSizesRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadFolderSizesResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            503: components["responses"]["Unavailable"];
        };
    };
    takeBackUpload: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TakeBackUploadRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TakeBackUploadResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description upload_not_found, bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            /** @description upload_conflict */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    confirmUploads: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ConfirmUploadsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConfirmUploadsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description upload_not_found, bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
    listVersions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ListVersionsRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListVersionsResponse"];
                };
            };
            /** @description invalid_request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description invalid_token, token_expired, token_revoked */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description scope_not_allowed, origin_not_allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            /** @description bucket_not_found, not_found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["RateLimited"];
            500: components["responses"]["Internal"];
            /** @description provider_failed */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Failure"];
                };
            };
            503: components["responses"]["Unavailable"];
        };
    };
}
